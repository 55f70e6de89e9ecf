/** The table of the fan in a division: who rises, who falls, and when it ends. */
import { readDivision, type Division as Shown } from '../api.ts'
import { formatInteger, formatLeft, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Screen, Section } from '../parts/layout.tsx'
import { RankedFan } from '../parts/ranked-fan.tsx'
import { addressOf, Link } from '../router.tsx'

export function Division() {
  const loaded = useLoaded('division', readDivision)
  const name = loaded.data?.division?.name ?? text.division.title
  return (
    <Screen title={name} up={addressOf('leagues')}>
      <Loading of={loaded} skeleton={<Bones count={8} />}>
        {({ division }) =>
          division === null ? (
            <Empty
              action={
                <Link to={addressOf('quests')} class="button main">
                  {text.points.toQuests}
                </Link>
              }
            >
              {text.division.empty}
            </Empty>
          ) : (
            <DivisionTable division={division} />
          )
        }
      </Loading>
    </Screen>
  )
}

export function DivisionTable({ division }: { division: Shown }) {
  const { level, rank, up, down, endsAt, entries, last } = division
  return (
    <>
      <dl class="figures on-page">
        <div class="figure">
          <dt>{text.division.level(level.number, level.of)}</dt>
          <dd>
            <bdi>{level.name}</bdi>
          </dd>
        </div>
        <div class="figure">
          <dt>{text.leagues.rank}</dt>
          <dd>{formatInteger(rank)}</dd>
        </div>
      </dl>
      {last && (
        <p class="panel row">
          <Icon name={OUTCOME_ICONS[last.outcome]} />
          <span class="grow">
            <strong class="line">{text.division.outcomes[last.outcome]}</strong>
            <small class="quiet">{text.division.last(last.rank, last.points)}</small>
          </span>
        </p>
      )}
      <Section title={text.leagues.table}>
        <ul class="zones quiet">
          <li>{text.division.ends(formatLeft(endsAt))}</li>
          {up > 0 && (
            <li class="zone-up">
              <Icon name="up" />
              {text.division.up(up)}
            </li>
          )}
          {down > 0 && (
            <li class="zone-down">
              <Icon name="down" />
              {text.division.down(down)}
            </li>
          )}
        </ul>
        <div class="boards">
          <ol class="list board">
            {entries.map(entry => (
              <Row key={entry.rank} entry={entry} mine={entry.rank === rank} />
            ))}
          </ol>
        </div>
      </Section>
    </>
  )
}

const OUTCOME_ICONS = { promoted: 'up', relegated: 'down', stayed: 'check' } as const

function Row({ entry, mine }: { entry: Shown['entries'][number]; mine: boolean }) {
  const { displayName, rank, points, zone } = entry
  return (
    <li class={`row zone-${zone} ${mine ? 'mine' : ''}`} value={rank}>
      <RankedFan entry={entry} mine={mine} name={displayName ?? text.leaderboard.unnamed} />
      {(zone === 'up' || zone === 'down') && <Icon name={zone} />}
      <span class="unseen">{text.division.zones[zone]}</span>
      <strong class="amount">{formatInteger(points)}</strong>
    </li>
  )
}
