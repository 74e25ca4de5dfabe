-- +goose Up

-- Where the facts were documented when they were written down: title and
-- address of the source, as text. It says nothing about who checked them.
alter table operations add column documented_at text not null default '' check (length(documented_at) <= 2000);
alter table senders add column documented_at text not null default '' check (length(documented_at) <= 2000);

-- What a sender's documentation leaves open, as operations have it already.
alter table senders add column notes text not null default '' check (length(notes) <= 4000);

-- +goose Down
alter table senders drop column notes, drop column documented_at;
alter table operations drop column documented_at;
