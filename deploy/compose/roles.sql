-- Run once by PostgreSQL's image, when the volume is new. The server's login: see docs/operations.md.
CREATE ROLE skein_server NOLOGIN;
DO $$
BEGIN
  EXECUTE format(
    'CREATE ROLE skein_app LOGIN PASSWORD %L IN ROLE skein_server',
    trim(trailing E'\n' FROM pg_read_file('/run/secrets/app-password'))
  );
END
$$;
REVOKE ALL ON DATABASE skein FROM PUBLIC;
GRANT CONNECT ON DATABASE skein TO skein_server;
