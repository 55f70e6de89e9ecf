/** A league: the place of the fan, the invitation, the table, and what its owner can change. */
import { useState } from 'preact/hooks'
import { endLeagueBan, type LeagueEntry, leaveLeague, readLeague, readProfile } from '../api.ts'
import { formatInteger, text } from '../lang/lang.ts'
import { Bones, type Loaded, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Icon } from '../parts/icon.tsx'
import { Screen, Section } from '../parts/layout.tsx'
import { Manage, MemberActions } from '../parts/league-owner.tsx'
import { LeagueRounds } from '../parts/league-rounds.tsx'
import { howCounted, nameOfLeague } from '../parts/league-words.ts'
import { MoreButton, useMore } from '../parts/more.tsx'
import { Notice } from '../parts/notice.tsx'
import { RankedFan } from '../parts/ranked-fan.tsx'
import { Report } from '../parts/report.tsx'
import { Share } from '../parts/share.tsx'
import { addressOf, navigate } from '../router.tsx'

async function loadLeague(id: string) {
  const [league, profile] = await Promise.all([readLeague(id), readProfile()])
  return { ...league, profile }
}
type Shown = Awaited<ReturnType<typeof loadLeague>>

export function League({ id }: { id: string }) {
  const loaded = useLoaded(`league ${id}`, () => loadLeague(id))
  const name = loaded.data ? nameOfLeague(loaded.data) : text.leagues.unnamed
  return (
    <Screen title={name} up={addressOf('leagues')} bare>
      <Loading of={loaded} skeleton={<Bones count={8} />}>
        {league => (
          <>
            <div class="screen-head">
              <h1>
                <bdi>{name}</bdi>
              </h1>
              <p class="quiet">
                {howCounted(league)} · {text.leagues.members(league.members)}
              </p>
            </div>
            <dl class="figures on-page">
              <div class="figure">
                <dt>{text.leagues.rank}</dt>
                <dd>{formatInteger(league.me.rank)}</dd>
              </div>
              <div class="figure">
                <dt>{text.leagues.points}</dt>
                <dd>{formatInteger(league.me.points)}</dd>
              </div>
            </dl>
            {league.code !== null && <Invite league={league} code={league.code} />}
            {league.format === 'head_to_head' && (
              <LeagueRounds
                id={id}
                number={league.entries.find(({ rank }) => rank === league.me.rank)?.number ?? undefined}
                handle={league.profile?.handle ?? null}
              />
            )}
            <Table loaded={loaded} league={league} />
            {league.owned && <Manage league={league} reload={loaded.reload} />}
            {!league.owned && !league.automatic && <Report subject={{ kind: 'league', id }} />}
            {!league.automatic && <Leave league={league} />}
          </>
        )}
      </Loading>
    </Screen>
  )
}

const Invite = ({ league: { locked, name }, code }: { league: Shown; code: string }) => (
  <Section title={text.leagues.invite}>
    {locked ? (
      <p class="panel row">
        <Icon name="lock" />
        <span class="grow">{text.leagues.noInvite}</span>
      </p>
    ) : (
      <div class="panel invite">
        <p class="quiet">{text.leagues.inviteLead}</p>
        <code dir="ltr">{code}</code>
        <Share
          path={addressOf('league', code)}
          title={text.leagues.inviteTitle(name ?? text.leagues.unnamed)}
        />
      </div>
    )}
  </Section>
)

function Table({ loaded, league }: { loaded: Loaded<Shown>; league: Shown }) {
  const { id, entries, me, nextCursor, owner, owned, profile } = league
  const [chosen, setChosen] = useState<LeagueEntry | null>(null)
  const [banned, setBanned] = useState<LeagueEntry | null>(null)
  const more = useMore(
    loaded,
    cursor => readLeague(id, cursor),
    (page, next) => ({ ...page, nextCursor: next.nextCursor, entries: [...page.entries, ...next.entries] }),
  )
  const undo = useWrite(async (handle: string) => {
    await endLeagueBan(id, handle)
    setBanned(null)
  })
  const isListed = entries.some(({ rank }) => rank === me.rank)
  const own = { handle: profile?.handle ?? null, displayName: profile?.displayName ?? null }
  const ownEntry = { ...own, avatarUrl: profile?.avatarUrl ?? null, ...me }
  return (
    <Section title={text.leagues.table}>
      <div role="status">
        {banned && (
          <p class="panel row">
            <span class="grow">{text.leagues.banned(nameOf(banned))}</span>
            {banned.handle !== null && (
              <Button kind="small" busy={undo.isBusy} onClick={() => undo.run(banned.handle ?? '')}>
                {text.leagues.undoBan}
              </Button>
            )}
          </p>
        )}
      </div>
      {undo.error !== null && <Notice error={undo.error} />}
      <div class="boards">
        <ol class="list board">
          {entries.map(entry => {
            const isMine = entry.rank === me.rank
            return (
              <Row
                key={entry.rank}
                entry={entry}
                mine={isMine}
                owns={isMine ? owned : entry.handle !== null && entry.handle === owner.handle}
                onChange={owned && !isMine ? () => setChosen(entry) : undefined}
              />
            )
          })}
        </ol>
        <MoreButton more={more} cursor={nextCursor} />
        {!isListed && (
          <ol class="list board own-rank">
            <Row entry={ownEntry} mine owns={owned} />
          </ol>
        )}
      </div>
      {chosen && (
        <MemberActions
          league={league}
          member={chosen}
          name={nameOf(chosen)}
          onDone={async action => {
            setChosen(null)
            setBanned(action === 'ban' ? chosen : null)
            await loaded.reload()
          }}
          onCancel={() => setChosen(null)}
        />
      )}
    </Section>
  )
}

const nameOf = ({ displayName }: Pick<LeagueEntry, 'displayName'>) => displayName ?? text.leaderboard.unnamed

interface RowProps {
  entry: Omit<LeagueEntry, 'joinedAt' | 'number'>
  mine: boolean
  /** Whether the fan owns the league. */
  owns: boolean
  /** For the owner, about the others. */
  onChange?: (() => void) | undefined
}

function Row({ entry, mine, owns, onChange }: RowProps) {
  const { rank, points } = entry
  const name = nameOf(entry)
  return (
    <li class={`row rank-${rank} ${mine ? 'mine' : ''}`} value={rank}>
      <RankedFan entry={entry} mine={mine} name={name}>
        {owns && <span class="pill">{text.leagues.owner}</span>}
      </RankedFan>
      <strong class="amount">{formatInteger(points)}</strong>
      {onChange && (
        <Button kind="small" label={text.leagues.actionsOf(name)} onClick={onChange}>
          {text.leagues.actions}
        </Button>
      )}
    </li>
  )
}

function Leave({ league: { id, members, owned } }: { league: Shown }) {
  const [asked, setAsked] = useState(false)
  const leave = useWrite(async (leagueId: string) => {
    await leaveLeague(leagueId)
    navigate(addressOf('leagues'))
  })
  const isLast = members === 1
  return (
    <p class="leave">
      <Button kind="danger" onClick={() => setAsked(true)}>
        {text.leagues.leave}
      </Button>
      {asked && (
        <Confirm
          title={`${text.leagues.leave}?`}
          action={text.leagues.leave}
          busy={leave.isBusy}
          onConfirm={() => leave.run(id)}
          onCancel={() => setAsked(false)}
        >
          <p>{isLast ? text.leagues.leaveLast : text.leagues.leaveLead}</p>
          {owned && !isLast && <p>{text.leagues.leaveOwner}</p>}
          {leave.error !== null && <Notice error={leave.error} />}
        </Confirm>
      )}
    </p>
  )
}
