/** The result of a dry run with the decision to import, and the result of an import. */
import { useEffect, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DiffView } from '../../parts/diff.tsx'
import { CheckField, Form, TextArea } from '../../parts/form.tsx'
import { formatCount } from '../../parts/format.ts'
import { Facts } from '../../parts/page.tsx'
import { useAction, useResource } from '../../parts/resource.ts'
import { Empty, Loaded, Note } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { may } from '../../session.ts'
import { RunProgress } from './progress.tsx'
import { faultsOf, IMPORTS, isDryRun, isImport, numbersOf, type RunData, titleOf } from './words.ts'

const POLL_MS = 1_000
const REASON_MAX = 500

interface ReviewProps {
  runId: string
  onStarted: () => unknown
  onClose: () => unknown
}

export function Review({ runId, onStarted, onClose }: ReviewProps) {
  const [isRunning, setIsRunning] = useState(true)
  const run = useResource(`job ${runId}`, signal => api.readJob({ runId }, { signal }), {
    ...(isRunning ? { pollMs: POLL_MS } : {}),
  })
  const state = run.data?.state
  useEffect(() => {
    if (state !== undefined) setIsRunning(state === 'running')
  }, [state])
  return (
    <Dialog title={run.data ? titleOf(run.data) : 'Import'} kind="wide" onClose={onClose}>
      <Loaded of={run}>
        {data => (
          <>
            <p class="quiet">
              <bdi>{data.input?.name}</bdi>
            </p>
            {data.state === 'running' ? <RunProgress of={data} /> : <Result of={data} />}
            {isDryRun(data) && data.state === 'done' ? (
              <Decision of={data} onStarted={onStarted} onClose={onClose} />
            ) : (
              <div class="form-foot">
                <Button onClick={onClose}>Close</Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

function Result({ of: run }: { of: RunData }) {
  const numbers = numbersOf(run)
  return (
    <div class="result">
      {run.error !== null && <Note tone="bad">{run.error}</Note>}
      {run.state === 'cancelled' && <Note tone="warn">It was cancelled. What was written before stays.</Note>}
      {numbers.length > 0 && <Facts of={numbers} />}
      {run.kind === 'import-events' && isDryRun(run) && numbers.length > 0 && (
        <Note>
          The points are a maximum: the limits and budgets of rules do not count the points of this file until
          it is imported.
        </Note>
      )}
      <Faults of={run} />
      <Changes of={run} />
    </div>
  )
}

function Faults({ of: run }: { of: RunData }) {
  const listed = run.listed.filter(found => 'line' in found)
  const count = Math.max(faultsOf(run), listed.length)
  if (listed.length === 0) return null
  const what = run.kind === 'import-memberships' ? 'to look at' : 'with errors'
  const title = `${formatCount(count)} ${count === 1 ? 'line' : 'lines'} ${what}`
  return (
    <section>
      <h3>{run.kind === 'import-catalog' ? 'Errors' : title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without it, the keyboard cannot scroll */}
      <section class="faults" tabIndex={0} aria-label="Errors in the file">
        <ol>
          {listed.map(({ line, field, message }, nth) => (
            <li key={nth}>
              <span class="quiet">Line {formatCount(line)}</span>
              <span>
                {field !== '' && (
                  <>
                    <code>{field}</code>{' '}
                  </>
                )}
                <bdi>{message}</bdi>
              </span>
            </li>
          ))}
        </ol>
      </section>
      {count > listed.length && <p class="quiet">The first {formatCount(listed.length)} are shown.</p>}
    </section>
  )
}

const OUTCOMES: Record<string, string> = { created: 'New', changed: 'Changed', deactivated: 'Deactivated' }

function Changes({ of: run }: { of: RunData }) {
  const { kind, changes } = run
  if ((kind !== 'import-catalog' && kind !== 'import-memberships') || run.error !== null) return null
  const { created = 0, changed = 0, deactivated = 0 } = run.counts
  const isCatalogue = kind === 'import-catalog'
  // New memberships are only counted.
  const count = isCatalogue ? Number(created) + Number(changed) + Number(deactivated) : Number(changed)
  if (count === 0) return isCatalogue ? <Empty icon="check" title="The catalogue matches the file" /> : null
  return (
    <section>
      <h3>What changes</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without it, the keyboard cannot scroll */}
      <section class="faults" tabIndex={0} aria-label="What changes">
        {changes.map(({ kind, id, outcome, members }) => (
          <div key={`${kind} ${id}`} class="changed-entry">
            <p>
              <strong>{OUTCOMES[outcome] ?? outcome}</strong> {kind} <code>{id}</code>
            </p>
            {members.length > 0 && <DiffView changes={members} />}
          </div>
        ))}
      </section>
      {count > changes.length && (
        <p class="quiet">
          The first {formatCount(changes.length)} of {formatCount(count)} are shown.
        </p>
      )}
    </section>
  )
}

interface DecisionProps {
  of: RunData
  onStarted: () => unknown
  onClose: () => unknown
}

function Decision({ of: run, onStarted, onClose }: DecisionProps) {
  const [reason, setReason] = useState('')
  const [skipInvalid, setSkipInvalid] = useState(false)
  const invalid = Number(run.counts.invalid ?? 0)
  const send = useAction(async (why: string) => {
    await api.startImport({
      check: run.id,
      reason: why,
      ...(skipInvalid ? { skipInvalid } : {}),
    })
    toast('The import is running.')
    onStarted()
  })
  const blocked =
    (!may('jobs.write') && 'Your role cannot import.') ||
    (invalid > 0 && !skipInvalid && 'Correct the file, or leave out its invalid lines.') ||
    (reason.trim() === '' && 'Write the reason first.')
  return (
    <Form
      action={send}
      onSubmit={() => blocked || send.run(reason.trim())}
      foot={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button submit kind="primary" busy={send.isBusy} blocked={blocked}>
            Import {isImport(run.kind) ? IMPORTS[run.kind].what : ''}
          </Button>
        </>
      }
    >
      <p>
        Nothing has been written so far. If an import is interrupted, start it again: it writes nothing twice.
      </p>
      {invalid > 0 && (
        <CheckField
          label={`Leave out ${formatCount(invalid)} invalid ${invalid === 1 ? 'line' : 'lines'}`}
          value={skipInvalid}
          onChange={setSkipInvalid}
        />
      )}
      <TextArea
        label="Reason"
        pointer="/reason"
        hint="The audit log keeps it with your name."
        max={REASON_MAX}
        required
        value={reason}
        onChange={setReason}
      />
    </Form>
  )
}
