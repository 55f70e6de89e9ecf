/** The leagues of the fan, joining one by its code, and creating one. */
import { useState } from 'preact/hooks'
import {
  createLeague,
  type Division,
  joinLeague,
  type LeagueSummary,
  type NewLeague,
  readDivision,
  readLeagues,
  readMatches,
} from '../api.ts'
import { formatLeft, text } from '../lang/lang.ts'
import { Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Choice, Empty, Screen, Section } from '../parts/layout.tsx'
import { howCounted, nameOfLeague } from '../parts/league-words.ts'
import { Refused } from '../parts/refused.tsx'
import { addressOf, Link, navigate } from '../router.tsx'

const FEW = 20

/** With the seasons of the matches around now, which a league can be about. */
async function loadLeagues() {
  const [{ leagues, automatic }, { division }, next, last] = await Promise.all([
    readLeagues(),
    readDivision(),
    readMatches({ from: new Date().toISOString(), limit: FEW }),
    readMatches({ status: 'finished', limit: FEW }),
  ])
  const matches = [...next.matches, ...last.matches]
  return { leagues, automatic, division, seasons: [...new Set(matches.map(({ season }) => season))] }
}

export function Leagues() {
  const loaded = useLoaded('leagues', loadLeagues)
  return (
    <Screen title={text.nav.leagues} lead={text.leagues.lead}>
      <Loading of={loaded}>
        {({ leagues, automatic, division, seasons }) => (
          <>
            {division && <OwnDivision division={division} />}
            {leagues.length === 0 ? (
              <Empty>{text.leagues.empty}</Empty>
            ) : (
              <ul class="list board" aria-label={text.leagues.yours}>
                {leagues.map(league => (
                  <Row key={league.id} league={league} />
                ))}
              </ul>
            )}
            <Section title={text.leagues.automatic}>
              {automatic.length === 0 ? (
                <Empty>{text.leagues.noAutomatic}</Empty>
              ) : (
                <ul class="list board" aria-label={text.leagues.automatic}>
                  {automatic.map(league => (
                    <Row key={league.id} league={league} />
                  ))}
                </ul>
              )}
            </Section>
            <div class="columns">
              <Section title={text.leagues.join}>
                <JoinByCode />
              </Section>
              <Section title={text.leagues.create}>
                <Create seasons={seasons} />
              </Section>
            </div>
          </>
        )}
      </Loading>
    </Screen>
  )
}

const OwnDivision = ({ division: { name, level, rank, entries, endsAt } }: { division: Division }) => (
  <Section title={text.division.yours}>
    <ul class="list board">
      <li class="row">
        <Icon name="leaderboard" />
        <span class="grow">
          <strong class="line">
            <Link to={addressOf('division')} class="whole-row">
              <bdi>{name}</bdi> · <bdi>{level.name}</bdi>
            </Link>
          </strong>
          <small class="line">{text.division.placeOf(rank, entries.length)}</small>
          <small class="quiet line">{text.division.ends(formatLeft(endsAt))}</small>
        </span>
        <Icon name="next" />
      </li>
    </ul>
  </Section>
)

function Row({ league }: { league: LeagueSummary }) {
  const { id, automatic, members, locked, me } = league
  return (
    <li class="row">
      <Icon name="leagues" />
      <span class="grow">
        <strong class="line">
          <Link to={addressOf('leagues', id)} class="whole-row">
            <bdi>{nameOfLeague(league)}</bdi>
          </Link>
        </strong>
        <small class="quiet line">
          {howCounted(league)} · {text.leagues.members(members)}
        </small>
        <small class="line">{text.leagues.place(me.rank, me.points)}</small>
      </span>
      {locked && !automatic && (
        <span class="pill">
          <Icon name="lock" />
          {text.leagues.locked}
        </span>
      )}
      <Icon name="next" />
    </li>
  )
}

/** Opens the league. */
function JoinByCode() {
  const write = useWrite(async (code: string, key) => {
    const { id } = await joinLeague(code, key)
    navigate(addressOf('leagues', id))
  })
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const code = String(fields.get('code')).trim()
    if (code !== '') await write.run(code)
  }
  return (
    <form class="form panel" onSubmit={submit}>
      <label>
        <span>{text.leagues.joinCode}</span>
        <input
          name="code"
          required
          maxLength={100}
          dir="ltr"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
        />
      </label>
      <p class="quiet">{text.leagues.joinLead}</p>
      <Refused write={write} />
      <div class="form-foot">
        <Button submit busy={write.isBusy}>
          {text.leagues.joinAction}
        </Button>
      </div>
    </form>
  )
}

/** Opens the league, where the fan finds its code. */
function Create({ seasons }: { seasons: string[] }) {
  const [scoring, setScoring] = useState<NewLeague['scoring']>('points')
  const [from, setFrom] = useState<NewLeague['from']>('join')
  const [format, setFormat] = useState<NewLeague['format']>('table')
  const write = useWrite(async (league: NewLeague, key) => {
    const { id } = await createLeague(league, key)
    navigate(addressOf('leagues', id))
  })
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const name = String(fields.get('name')).trim()
    const season = scoring === 'predictions' ? String(fields.get('season') ?? '') : ''
    if (name !== '') await write.run({ name, scoring, from, format, ...(season !== '' && { season }) })
  }
  return (
    <form class="form panel" onSubmit={submit}>
      <div>
        <label>
          <span>{text.leagues.name}</span>
          <input
            name="name"
            required
            maxLength={50}
            dir="auto"
            autocomplete="off"
            aria-describedby="league-name"
          />
        </label>
        <small id="league-name" class="quiet">
          {text.leagues.nameHint}
        </small>
      </div>
      <LabelledChoice
        label={text.leagues.scoring}
        names={text.leagues.scorings}
        value={scoring}
        onChange={setScoring}
      />
      <LabelledChoice label={text.leagues.from} names={text.leagues.froms} value={from} onChange={setFrom} />
      <LabelledChoice
        label={text.leagues.format}
        names={text.leagues.formats}
        value={format}
        onChange={setFormat}
      />
      {scoring === 'predictions' && (
        <label>
          <span>{text.leagues.season}</span>
          <select name="season">
            <option value="">{text.leagues.allSeasons}</option>
            {seasons.map(season => (
              <option key={season} value={season}>
                {text.leagues.seasonOf(season)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Refused write={write} />
      <div class="form-foot">
        <Button submit busy={write.isBusy}>
          {text.leagues.createAction}
        </Button>
      </div>
    </form>
  )
}

const LabelledChoice = <T extends string>(props: Parameters<typeof Choice<T>>[0]) => (
  <div class="labelled-choice">
    <span aria-hidden="true">{props.label}</span>
    <Choice {...props} />
  </div>
)
