/** Server keys, with which the club's own systems call the API. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button, Copy } from '../../parts/button.tsx'
import { sentence } from '../../parts/capital.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts, Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { None, Time } from '../../parts/values.tsx'
import { useChoice } from '../../router.tsx'
import { may } from '../../session.ts'
import { CreateDialog, type KeyData, RevokeDialog, RotateDialog, type ScopeData } from './dialogs.tsx'

const STATES: Record<KeyData['state'], [string, Tone]> = {
  active: ['Active', 'good'],
  replaced: ['Replaced', 'info'],
  expired: ['Expired', 'neutral'],
  revoked: ['Revoked', 'neutral'],
}
const isUsable = ({ state }: KeyData) => state === 'active' || state === 'replaced'

const State = ({ of: { state } }: { of: KeyData }) => (
  <Badge tone={STATES[state][1]}>{STATES[state][0]}</Badge>
)
const Expiry = ({ of: { expiresAt } }: { of: KeyData }) =>
  expiresAt === null ? <>Never</> : <Time at={expiresAt} />

const mayOf = (scopes: string[], known: ScopeData[]) =>
  known
    .filter(({ scope }) => scopes.includes(scope))
    .map(({ meaning }) => meaning)
    .join('; ')

const SHOWN = ['usable', 'all'] as const

export function Screen() {
  const [shown, setShown] = useChoice('show', SHOWN)
  const [chosen, setChosen] = useState<string | null>(null)
  const [isCreating, setCreating] = useState(false)
  const keys = useResource('keys', signal => api.listServerKeys({}, { signal }), { pollMs: 10_000 })
  const blocked = !may('keys.write') && 'Your role cannot create keys.'
  return (
    <Page
      title="Server keys"
      about="With a key, a system of the club calls the API: a turnstile, the shop, the CRM."
      actions={
        <Button kind="primary" icon="add" blocked={blocked} onClick={() => setCreating(true)}>
          Create key
        </Button>
      }
    >
      <Loaded of={keys}>
        {data => {
          const rows = data.keys.filter(key => shown === 'all' || isUsable(key))
          const key = data.keys.find(({ id }) => id === chosen)
          return (
            <>
              <div class="toolbar">
                <Choice
                  label="Keys"
                  value={shown}
                  onChange={setShown}
                  options={[
                    { value: 'usable', title: 'In use' },
                    { value: 'all', title: 'All' },
                  ]}
                />
              </div>
              <DataTable
                label="Server keys"
                rows={rows}
                rowKey={({ id }) => id}
                onOpen={({ id }) => setChosen(id)}
                selected={({ id }) => id === chosen}
                columns={[
                  { id: 'source', title: 'Source', cell: ({ source }) => <bdi>{source}</bdi> },
                  {
                    id: 'scopes',
                    title: 'May',
                    width: '38%',
                    hide: 'middle',
                    under: true,
                    cell: ({ scopes }) => mayOf(scopes, data.scopes),
                  },
                  { id: 'state', title: 'State', width: '7rem', cell: one => <State of={one} /> },
                  {
                    id: 'used',
                    title: 'Last used',
                    width: '9rem',
                    hide: 'narrow',
                    under: true,
                    cell: ({ lastUsedAt }) =>
                      lastUsedAt === null ? <None why="Never" /> : <Time at={lastUsedAt} relative />,
                  },
                  {
                    id: 'expires',
                    title: 'Expires',
                    width: '11rem',
                    hide: 'narrow',
                    cell: one => <Expiry of={one} />,
                  },
                ]}
                empty={
                  <Empty icon="keys" title="No system has a key">
                    <p>Create one key per system, so that you can revoke each of them separately.</p>
                  </Empty>
                }
              />
              {key && (
                <KeyDrawer
                  of={key}
                  scopes={data.scopes}
                  onDone={keys.reload}
                  onClose={() => setChosen(null)}
                />
              )}
              {isCreating && (
                <CreateDialog scopes={data.scopes} onDone={keys.reload} onClose={() => setCreating(false)} />
              )}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

interface DrawerProps {
  of: KeyData
  scopes: ScopeData[]
  onDone: () => unknown
  onClose: () => unknown
}

function KeyDrawer({ of: key, scopes, onDone, onClose }: DrawerProps) {
  const [act, setAct] = useState<'rotate' | 'revoke' | null>(null)
  const blocked = !may('keys.write') && 'Your role cannot change keys.'
  const meanings = scopes.filter(({ scope }) => key.scopes.includes(scope))
  return (
    <>
      <Dialog title={`Key of ${key.source}`} kind="wide" onClose={onClose}>
        <div class="detail">
          <Facts
            of={[
              ['Source', key.source],
              ['State', <State key="state" of={key} />],
              ['Id', <Copy key="id" value={key.id} label="Copy the id" />],
              ['Created', <Time key="created" at={key.createdAt} />],
              ['Last used', key.lastUsedAt ? <Time key="used" at={key.lastUsedAt} relative /> : 'Never'],
              ['Expires', <Expiry key="expires" of={key} />],
              ...(key.revokedAt
                ? [['Revoked', <Time key="revoked" at={key.revokedAt} />] satisfies [string, preact.VNode]]
                : []),
            ]}
          />
          <section>
            <h3>It may</h3>
            <ul>
              {meanings.map(({ scope, meaning }) => (
                <li key={scope}>
                  {sentence(meaning)} <code>{scope}</code>
                </li>
              ))}
            </ul>
          </section>
          {isUsable(key) && (
            <div class="actions">
              {key.state === 'active' && (
                <Button small icon="retry" blocked={blocked} onClick={() => setAct('rotate')}>
                  Rotate
                </Button>
              )}
              <Button small kind="danger" icon="remove" blocked={blocked} onClick={() => setAct('revoke')}>
                Revoke
              </Button>
            </div>
          )}
        </div>
      </Dialog>
      {act === 'rotate' && <RotateDialog of={key} onDone={onDone} onClose={() => setAct(null)} />}
      {act === 'revoke' && <RevokeDialog of={key} onDone={onDone} onClose={() => setAct(null)} />}
    </>
  )
}
