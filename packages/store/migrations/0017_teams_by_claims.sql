-- The teams that an identity provider's claims give to a person (docs/guides/sign-in.md): from team to role. Read at each
-- sign-in, and held by what the person's sessions stand for. Keys of programs have none.
alter table api_key add column claimed_teams jsonb not null default '{}';
