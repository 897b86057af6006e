-- authenticate_session without the page's secret was for servers that no release ever had. The other two answer less
-- than before: what they say of a key comes from authenticate_key, in the same statement.
drop function if exists authenticate_session(bytea, timestamptz);
drop function if exists authenticate_session(bytea, bytea, timestamptz);
drop function if exists authenticate_share(text);
