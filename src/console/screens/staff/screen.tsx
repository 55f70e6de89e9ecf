/** Who of the club's staff has access to the console, in which role. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Page, Toolbar } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Loaded, Note } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { None, Time } from '../../parts/values.tsx'
import { useChoice } from '../../router.tsx'
import { InviteDialog } from './invitation.tsx'
import { PersonDrawer } from './person.tsx'
import { accessOf, hasAccess, type PersonData, ROLE_TITLES } from './words.ts'

const SHOWN = ['access', 'all'] as const

const COLUMNS: Column<PersonData>[] = [
  {
    id: 'person',
    title: 'Person',
    cell: ({ staff, isYou }) => (
      <>
        <bdi>{staff.name}</bdi>
        {isYou && <span class="quiet"> (you)</span>}
      </>
    ),
  },
  { id: 'role', title: 'Role', width: '7rem', under: true, cell: ({ staff }) => ROLE_TITLES[staff.role] },
  {
    id: 'access',
    title: 'Access',
    width: '9rem',
    cell: person => {
      const [title, tone] = accessOf(person)
      return <Badge tone={tone}>{title}</Badge>
    },
  },
  {
    id: 'way',
    title: 'Signs in',
    width: '8rem',
    hide: 'middle',
    cell: ({ way }) => (way === 'link' ? 'With a link' : 'Provider'),
  },
  {
    id: 'used',
    title: 'Last used',
    width: '8rem',
    hide: 'narrow',
    under: true,
    cell: ({ sessions: [newest], lastSignInAt }) => {
      const at = newest?.lastUsedAt ?? lastSignInAt
      return at ? <Time at={at} relative /> : <None why="Never" />
    },
  },
  {
    id: 'until',
    title: 'Until',
    width: '11rem',
    hide: 'middle',
    cell: ({ sessions: [newest], links: [link] }) => {
      const at = newest?.expiresAt ?? link?.expiresAt
      return at ? <Time at={at} /> : <None />
    },
  },
]

export function Screen() {
  const [shown, setShown] = useChoice('show', SHOWN)
  const [chosen, setChosen] = useState<string | null>(null)
  const [isInviting, setInviting] = useState(false)
  const staff = useResource('staff', signal => api.listStaff({}, { signal }), { pollMs: 15_000 })
  return (
    <Page
      title="Staff"
      about="Who can sign in to the console, and what their role allows."
      actions={
        <Button kind="primary" icon="add" onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      <Loaded of={staff}>
        {({ people, roles, provider }) => {
          const person = people.find(one => one.staff.id === chosen)
          return (
            <>
              {provider && (
                <Note>
                  Staff also sign in at <bdi class="strong">{new URL(provider.issuer).host}</bdi>. Everybody
                  who has a role there, in <bdi>{provider.roleClaim}</bdi>, has access, also if they have
                  never signed in and are not in this list.
                </Note>
              )}
              <Toolbar>
                <Choice
                  label="People"
                  value={shown}
                  onChange={setShown}
                  options={[
                    { value: 'access', title: 'With access' },
                    { value: 'all', title: 'Last 30 days' },
                  ]}
                />
              </Toolbar>
              <DataTable
                label="Staff"
                columns={COLUMNS}
                rows={people.filter(one => shown === 'all' || hasAccess(one))}
                rowKey={one => one.staff.id}
                onOpen={one => setChosen(one.staff.id)}
                selected={one => one.staff.id === chosen}
                empty={<Empty icon="staff" title="Nobody has access" />}
              />
              {person && (
                <PersonDrawer
                  of={person}
                  roles={roles}
                  onDone={staff.reload}
                  onClose={() => setChosen(null)}
                />
              )}
              {isInviting && (
                <InviteDialog roles={roles} onDone={staff.reload} onClose={() => setInviting(false)} />
              )}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
