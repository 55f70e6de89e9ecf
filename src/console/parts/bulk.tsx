/** One action on many things, with one reason: each is a call of its own, and has its own result. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { hasCode } from '../api.ts'
import { Badge } from './badge.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Form, TextArea } from './form.tsx'
import { formatCount } from './format.ts'
import { useAction } from './resource.ts'
import { describe } from './states.tsx'

export interface BulkItem {
  key: string
  name: string
}

interface BulkProps<Item extends BulkItem> {
  title: string
  /** The text of the button: "Mark as packed". */
  action: string
  tone?: 'primary' | 'danger'
  items: Item[]
  /** Fields above the reason; their values belong to the screen. */
  fields?: ComponentChildren
  /** False: the fields have the reason. */
  asksReason?: boolean
  /** Why it cannot be sent yet. */
  blocked?: string | false | undefined
  /** One call. A thing whose call succeeded is not sent again. */
  send: (item: Item, reason: string) => Promise<unknown>
  /** After each round. */
  onDone: () => unknown
  onClose: () => unknown
}

type Result = { state: 'done' } | { state: 'waiting' } | { state: 'failed'; error: unknown }

const REASON_MAX = 500

export function BulkDialog<Item extends BulkItem>(props: BulkProps<Item>) {
  const { title, action, tone = 'primary', items, fields, asksReason = true, send, onDone, onClose } = props
  const [reason, setReason] = useState('')
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map())
  const isStopped = useRef(false)
  const left = items.filter(({ key }) => (results.get(key)?.state ?? 'failed') === 'failed')
  const run = useAction(async (why: string) => {
    isStopped.current = false
    const known = new Map(results)
    // One after the other: the server keeps them in order, and the person can stop.
    for (const item of left) {
      if (isStopped.current) break
      known.set(item.key, await resultOf(send(item, why)))
      setResults(new Map(known))
    }
    onDone()
  })
  const done = items.length - left.length
  const blocked = props.blocked || (asksReason && reason.trim() === '' && 'Write the reason first.')
  return (
    <Dialog title={title} kind="wide" busy={run.isBusy} onClose={onClose}>
      <Form
        action={run}
        onSubmit={() => !blocked && left.length > 0 && run.run(reason.trim())}
        foot={
          <>
            {run.isBusy ? (
              <Button
                onClick={() => {
                  isStopped.current = true
                }}
              >
                Stop
              </Button>
            ) : (
              <Button onClick={onClose}>{results.size > 0 ? 'Close' : 'Cancel'}</Button>
            )}
            {left.length > 0 && (
              <Button submit kind={tone} busy={run.isBusy} blocked={blocked}>
                {done > 0 ? `Try the other ${formatCount(left.length)} again` : action}
              </Button>
            )}
          </>
        }
      >
        {results.size === 0 && fields}
        {results.size === 0 && asksReason && (
          <TextArea
            label="Reason"
            hint="The audit log keeps it with your name, for each of them."
            max={REASON_MAX}
            required
            value={reason}
            onChange={setReason}
          />
        )}
        <p role="status" class="quiet">
          {results.size === 0
            ? `${formatCount(items.length)} selected.`
            : `${formatCount(done)} of ${formatCount(items.length)} are done.`}
        </p>
        <ul class="bulk-list" aria-label="Results">
          {items.map(({ key, name }) => (
            <li key={key}>
              <bdi>{name}</bdi>
              <ResultWords of={results.get(key)} />
            </li>
          ))}
        </ul>
      </Form>
    </Dialog>
  )
}

async function resultOf(call: Promise<unknown>): Promise<Result> {
  try {
    await call
    return { state: 'done' }
  } catch (error) {
    return hasCode(error, 'approval_required') ? { state: 'waiting' } : { state: 'failed', error }
  }
}

function ResultWords({ of }: { of: Result | undefined }) {
  if (of === undefined) return null
  if (of.state === 'done') return <Badge tone="good">Done</Badge>
  if (of.state === 'waiting') return <Badge tone="warn">Waits for another person</Badge>
  return (
    <span class="bulk-failed">
      <Badge tone="bad">Failed</Badge> {describe(of.error)}
    </span>
  )
}

interface BulkBarProps {
  count: number
  /** "orders". */
  noun: string
  onClear: () => unknown
  children: ComponentChildren
}

/** What can be done with the picked rows. */
export const BulkBar = ({ count, noun, onClear, children }: BulkBarProps) =>
  count === 0 ? null : (
    <section class="bulk-bar" aria-label={`Selected ${noun}`}>
      <span role="status">
        {formatCount(count)} {noun} selected
      </span>
      {children}
      <Button small kind="quiet" icon="close" onClick={onClear}>
        Clear
      </Button>
    </section>
  )
