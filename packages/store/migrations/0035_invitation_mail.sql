-- The link of an invitation can be sent by e-mail (docs/adr/0065).
alter table invitation
  -- Where to; empty for nowhere.
  add column email text not null default '',
  -- The code, until the mail was sent or the invitation has ended.
  add column sealed text,
  -- When it is to be sent; null if it is not, or no more.
  add column mail_due_at timestamptz,
  add column mail_attempts integer not null default 0,
  -- Of the server that sends it.
  add column mail_token bigint not null default 0,
  add column mail_sent_at timestamptz,
  add column mail_error text not null default '';

create index invitation_mail_due on invitation (mail_due_at) where mail_due_at is not null and ended_at is null;
