-- A command line's session ends with the sign-in that it was confirmed in (docs/adr/0056).

alter table browser_session
  -- When the person signed in to the session that confirmed this one. Null for browsers, and for older command lines.
  add column signed_in_at timestamptz;
