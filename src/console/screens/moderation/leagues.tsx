/** Leagues of fans: search, members, reports, and another name for one that breaks the rules. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { CheckField, TextField } from '../../parts/form.tsx'
import { Columns, Facts, Page, Section, Toolbar } from '../../parts/page.tsx'
import { usePages, useResource } from '../../parts/resource.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { FanName, Time } from '../../parts/values.tsx'
import { addressOf, Link, useParameter } from '../../router.tsx'
import { may } from '../../session.ts'
import { titleOf } from './words.ts'

type Listed = Data<'findLeagues'>['leagues'][number]
type League = Data<'readLeagueOfFans'>
type Member = Data<'listLeagueMembers'>['members'][number]

const COLUMNS: Column<Listed>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => <bdi class="strong">{name}</bdi> },
  { id: 'owner', title: 'Owner', under: true, cell: ({ owner }) => <FanName fan={owner} link={false} /> },
  { id: 'members', title: 'Members', width: '7rem', hide: 'narrow', cell: ({ members }) => members },
  {
    id: 'state',
    title: 'State',
    width: '8rem',
    cell: ({ locked, openReports }) => (
      <>
        {openReports > 0 && <Badge tone="warn">{`${openReports} reported`}</Badge>}
        {locked ? <Badge tone="neutral">Locked</Badge> : <Badge tone="good">Open</Badge>}
      </>
    ),
  },
  {
    id: 'created',
    title: 'Created',
    width: '12rem',
    hide: 'narrow',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

export function LeagueList() {
  const [text, setText] = useParameter('text')
  const wanted = text.trim()
  const pages = usePages<Listed>(`leagues ${wanted}`, async (cursor, signal) => {
    const page = await api.findLeagues({ text: wanted, cursor, limit: 50 }, { signal })
    return { items: page.leagues, nextCursor: page.nextCursor }
  })
  return (
    <>
      <Toolbar>
        <TextField label="Name or code" value={text} max={100} onChange={setText} />
      </Toolbar>
      <DataTable
        label="Leagues"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        pages={pages}
        href={({ id }) => addressOf('moderation', 'leagues', id)}
        empty={
          <Empty icon="search" title={wanted === '' ? 'No fan has created a league' : 'No league is found'}>
            <p>
              {wanted === ''
                ? 'Fans create leagues in the app.'
                : 'Search by part of the name, or by the code.'}
            </p>
          </Empty>
        }
      />
    </>
  )
}

const SCORING = { points: 'All points', predictions: 'Predictions' }
const FROM = { join: 'from joining on', start: 'from the start' }

export function LeagueScreen({ leagueId }: { leagueId: string }) {
  const league = useResource(`league ${leagueId}`, signal => api.readLeagueOfFans({ leagueId }, { signal }))
  const [isRenaming, setRenaming] = useState(false)
  const name = league.data?.name
  return (
    <Page
      title={name ?? 'League'}
      back={{ to: `${addressOf('moderation')}?tab=leagues`, title: 'Leagues' }}
      actions={
        <Button
          blocked={!may('moderation.write') && 'Your role can read leagues, but not change them.'}
          onClick={() => setRenaming(true)}
        >
          Replace the name
        </Button>
      }
    >
      <Loaded of={league}>{shown => <Details of={shown} />}</Loaded>
      <Members leagueId={leagueId} />
      {isRenaming && league.data && (
        <RenameDialog of={league.data} onDone={league.reload} onClose={() => setRenaming(false)} />
      )}
    </Page>
  )
}

function Details({ of }: { of: League }) {
  const { owner, code, scoring, from, season, locked, nameHeldAt, members, createdAt, reports, caseId } = of
  return (
    <Columns>
      <Section title="League">
        <Facts
          of={[
            ['Owner', <FanName key="owner" fan={owner} link={may('fans.read')} />],
            ['Code', <code key="code">{code}</code>],
            ['Counts', `${SCORING[scoring]} ${FROM[from]}${season === null ? '' : `, season ${season}`}`],
            ['Members', String(members)],
            ['Joining', locked ? 'Locked: nobody can join' : 'Open to all who have the code'],
            [
              'Name',
              nameHeldAt === null ? (
                'The owner can change it'
              ) : (
                <span key="name">
                  Held by moderators since <Time at={nameHeldAt} />
                </span>
              ),
            ],
            ['Created', <Time key="created" at={createdAt} />],
          ]}
        />
      </Section>
      <Section
        title="Reports"
        actions={
          caseId !== null && (
            <Link to={`${addressOf('moderation')}?case=${encodeURIComponent(caseId)}`}>Open the case</Link>
          )
        }
      >
        {reports.length === 0 ? (
          <p class="quiet">Nobody has reported this league.</p>
        ) : (
          <ul class="nested">
            {reports.map(({ id, reason, note, isOpen, createdAt }) => (
              <li key={id}>
                {titleOf(reason)} · <Time at={createdAt} relative />
                {isOpen && <Badge tone="warn">Open</Badge>}
                {note !== null && (
                  <bdi class="written" dir="auto">
                    {note}
                  </bdi>
                )}
              </li>
            ))}
          </ul>
        )}
      </Section>
    </Columns>
  )
}

const MEMBER_COLUMNS: Column<Member>[] = [
  { id: 'fan', title: 'Fan', cell: fan => <FanName fan={fan} link={false} /> },
  { id: 'joined', title: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
]

function Members({ leagueId }: { leagueId: string }) {
  const pages = usePages<Member>(`members of ${leagueId}`, async (cursor, signal) => {
    const page = await api.listLeagueMembers({ leagueId, cursor, limit: 100 }, { signal })
    return { items: page.members, nextCursor: page.nextCursor }
  })
  return (
    <Section title="Members" flush>
      <DataTable
        label="Members"
        columns={MEMBER_COLUMNS}
        rowKey={({ id }) => id}
        pages={pages}
        href={may('fans.read') ? ({ id }) => addressOf('fans', id) : undefined}
        empty={<Empty title="No members" />}
      />
    </Section>
  )
}

interface RenameProps {
  of: League
  onDone: () => Promise<void>
  onClose: () => void
}

function RenameDialog({ of: { id, name, nameHeldAt }, onDone, onClose }: RenameProps) {
  // A name that moderators hold can be released as it is.
  const [written, setWritten] = useState(nameHeldAt === null ? '' : name)
  const [isHeld, setHeld] = useState(true)
  return (
    <ReasonDialog
      title="Replace the name"
      action="Replace the name"
      blocked={written.trim() === '' && 'Write the new name first.'}
      fields={
        <>
          <TextField
            label="New name"
            pointer="/name"
            required
            autofocus
            max={50}
            value={written}
            onChange={setWritten}
          />
          <CheckField
            label="Hold the name"
            hint="The owner cannot change it until moderators release it."
            pointer="/held"
            value={isHeld}
            onChange={setHeld}
          />
        </>
      }
      onConfirm={async reason => {
        await api.renameLeague({ leagueId: id, name: written.trim(), held: isHeld, reason })
        toast('The league has another name.')
        await onDone()
      }}
      onClose={onClose}
    >
      <p>
        Now: <bdi dir="auto">{name}</bdi>. All members see the new name. To hide the owner, decide the case.
      </p>
    </ReasonDialog>
  )
}
