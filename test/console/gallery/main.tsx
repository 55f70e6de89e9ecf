/** The shared parts of the console on a page of their own: a long table, a form with errors, values, and states. */
import { render } from 'preact'
import { useState } from 'preact/hooks'
import { ProblemError, UnreachableError } from '../../../src/console/api.ts'
import { Badge } from '../../../src/console/parts/badge.tsx'
import { Button, Copy } from '../../../src/console/parts/button.tsx'
import { ReasonDialog } from '../../../src/console/parts/dialog.tsx'
import { DiffView } from '../../../src/console/parts/diff.tsx'
import { CheckField, NumberField, SelectField, TextField } from '../../../src/console/parts/form.tsx'
import { Facts, Page, Section } from '../../../src/console/parts/page.tsx'
import { TimeField } from '../../../src/console/parts/special-fields.tsx'
import { Empty, Failed, Note, Skeleton } from '../../../src/console/parts/states.tsx'
import { DataTable } from '../../../src/console/parts/table.tsx'
import { Tabs } from '../../../src/console/parts/tabs.tsx'
import { Timeline } from '../../../src/console/parts/timeline.tsx'
import { Toasts, toast } from '../../../src/console/parts/toast.tsx'
import { FanName, Money, Points, Time } from '../../../src/console/parts/values.tsx'
import { chooseZone } from '../../../src/console/preferences.ts'
import { route } from '../../../src/console/router.tsx'

const NAMES = [
  'Ana Ribeiro',
  '<img src=x onerror="document.title=\'pwned\'">',
  'مشجع النادي',
  'W'.repeat(200),
  '‮moT',
]
const INSTANT = '2026-03-29T00:30:00.000Z'

const rows = Array.from({ length: 10_000 }, (_, nth) => ({
  id: `0193a1b2-0000-7000-8000-${String(nth).padStart(12, '0')}`,
  displayName: NAMES[nth % NAMES.length] ?? '',
  handle: nth % 7 === 0 ? null : `fan_${nth}`,
  points: nth,
}))

const LongTable = () => (
  <Page title="Table">
    <DataTable
      label="Fans"
      rows={rows}
      rowKey={({ id }) => id}
      href={({ id }) => `/opened/${id}`}
      columns={[
        { id: 'fan', title: 'Fan', cell: fan => <FanName fan={fan} link={false} /> },
        {
          id: 'points',
          title: 'Points',
          width: '7rem',
          align: 'end',
          cell: fan => <Points value={fan.points} />,
        },
        {
          id: 'id',
          title: 'Id',
          width: '14rem',
          hide: 'narrow',
          cell: ({ id }) => <Copy value={id} short />,
        },
      ]}
    />
  </Page>
)

const refusal = new ProblemError({
  ...{ status: 422, code: 'validation_failed', title: 'Invalid', detail: 'The request breaks its schema.' },
  errors: [
    { pointer: '/points', message: 'At most 10,000.' },
    { pointer: '/other', message: 'No field shows this one.' },
  ],
})

function Forms() {
  const [isOpen, setOpen] = useState(false)
  const [points, setPoints] = useState<number | null>(50)
  const [attempts, setAttempts] = useState<string[]>([])
  const [at, setAt] = useState<string | null>(INSTANT)
  const send = async (reason: string, requestId: string) => {
    setAttempts([...attempts, requestId])
    if (attempts.length === 0) throw new UnreachableError()
    if (attempts.length === 1) throw refusal
    toast(`Granted for ${reason}.`)
  }
  return (
    <Page title="Forms" actions={<Button onClick={() => setOpen(true)}>Grant points</Button>}>
      <TimeField label="Starts" value={at} onChange={setAt} />
      <TextField label="Slug" value="home-shirt" onChange={() => {}} />
      <SelectField label="Kind" value="a" options={[{ value: 'a', title: 'A' }]} onChange={() => {}} />
      <CheckField label="Active" value onChange={() => {}} />
      <Button blocked="Your role may not do this." onClick={() => toast('It was pressed.')}>
        Refund
      </Button>
      <output>{JSON.stringify({ at, attempts })}</output>
      {isOpen && (
        <ReasonDialog
          title="Grant points"
          action="Grant"
          fields={
            <NumberField label="Points" pointer="/points" required value={points} onChange={setPoints} />
          }
          onConfirm={send}
          onClose={() => setOpen(false)}
        >
          The ledger gets an entry.
        </ReasonDialog>
      )}
    </Page>
  )
}

function Others() {
  const [tab, setTab] = useState<'one' | 'two' | 'three'>('one')
  return (
    <Page title="Others">
      <Facts
        of={[
          ['Time', <Time key="t" at={INSTANT} />],
          ['Price', <Money key="m" amount={1250} currency="JPY" />],
        ]}
      />
      <Badge tone="bad">Suspended</Badge>
      <Tabs
        label="Views"
        tabs={[
          { id: 'one', title: 'One' },
          { id: 'two', title: 'Two', count: 3 },
          { id: 'three', title: 'Three' },
        ]}
        current={tab}
        onChange={setTab}
      >
        <p>Panel {tab}</p>
      </Tabs>
      <Section title="Names">
        {NAMES.map(displayName => (
          <FanName key={displayName} fan={{ id: 'x', displayName, handle: 'tom' }} />
        ))}
        <DiffView
          changes={NAMES.map(name => ({ member: '/name', from: name, to: { en: name } })).slice(0, 4)}
        />
        <Timeline
          entries={NAMES.map((title, nth) => ({
            id: String(nth),
            at: INSTANT,
            icon: 'event',
            title,
            detail: title,
          }))}
        />
      </Section>
      <Empty title="Nothing here" />
      <Skeleton />
      <Failed error={refusal} onRetry={() => {}} />
      <Note tone="warn">Two people confirm this.</Note>
    </Page>
  )
}

chooseZone('Europe/Lisbon')

function Gallery() {
  const [name, id] = route.value
  return (
    <main>
      {name === 'table' && <LongTable />}
      {name === 'forms' && <Forms />}
      {name === 'others' && <Others />}
      {name === 'opened' && <Page title={`Opened ${id}`}>{null}</Page>}
      <Toasts />
    </main>
  )
}

const root = document.getElementById('console')
if (root) render(<Gallery />, root)
