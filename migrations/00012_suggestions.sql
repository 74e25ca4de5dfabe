-- +goose Up

create table suggestions (                           -- append-only; answers that came with a copy or an import and count for nothing until somebody saves them
  control_id bigint not null references controls,
  field      text not null,
  state      text not null check (state in ('answered','not_applicable')),
  value      text not null default '' check (length(value) <= 10000),
  data       jsonb,
  reason     text not null default '' check (length(reason) <= 4000),
  source     text not null check (length(source) between 1 and 500), -- where it comes from, in words
  person_id  bigint not null references people,      -- who brought it
  at         timestamptz not null default now(),
  primary key (control_id, field)
);
create trigger suggestions_append_only before update or delete on suggestions for each row execute function refuse_change();

-- +goose Down
drop table suggestions;
