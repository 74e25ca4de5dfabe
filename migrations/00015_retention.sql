-- +goose Up

create table retention (                             -- how long things are kept where nothing closer says so; without its row, the column defaults hold
  one            boolean primary key default true check (one),
  evidence_days  integer not null default 0 check (evidence_days between 0 and 3650), -- of controls that do not say; 0: the person who attaches is asked
  evidence_basis text not null default '' check (length(evidence_basis) <= 500),
  payload_days   integer not null default 3650 check (payload_days between 1 and 3650), -- the most that a workflow may choose
  notice_days    integer not null default 90 check (notice_days between 7 and 3650),
  version        bigint not null default 1
);

-- +goose Down
drop table retention;
