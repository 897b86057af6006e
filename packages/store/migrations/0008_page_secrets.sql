-- A session's cookie counts only together with a secret that the page keeps to itself (docs/adr/0018). Sessions from
-- before have none, and nobody can use them any more.
alter table browser_session add column page_secret_sha256 bytea;
