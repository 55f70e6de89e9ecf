/** Live rounds in the cockpit: one key opens the next prepared question, closes the open one, and answers the last closed one. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/form.tsx'
import { formatCount } from '../../parts/format.ts'
import { Section } from '../../parts/page.tsx'
import { type Resource, useAction, useResource } from '../../parts/resource.ts'
import { Failed, Loaded } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { Time, timeNow } from '../../parts/values.tsx'
import { may } from '../../session.ts'

type Rounds = Data<'listMatchQuestions'>
type Round = Rounds['questions'][number]

const OPEN_MS = 2_000
const QUIET_MS = 10_000
const STATES: Record<Round['state'], { tone: Tone; title: string }> = {
  scheduled: { tone: 'neutral', title: 'Prepared' },
  open: { tone: 'accent', title: 'Open' },
  closed: { tone: 'warn', title: 'Closed' },
  settled: { tone: 'good', title: 'Answered' },
}
/** Texts have one language, or several. */
const titleOf = ({ question: { title } }: Round) =>
  typeof title === 'string' ? title : (title.en ?? Object.values(title)[0] ?? '')
const isAnswerable = ({ question: { kind } }: Round) => kind !== 'poll'

export function Rounds({ matchId }: { matchId: string }) {
  const [hasOpen, setOpen] = useState(false)
  const rounds = useResource(`rounds ${matchId}`, signal => api.listMatchQuestions({ matchId }, { signal }), {
    pollMs: hasOpen ? OPEN_MS : QUIET_MS,
  })
  const isOpen = rounds.data?.questions.some(({ state }) => state === 'open') ?? false
  useEffect(() => setOpen(isOpen), [isOpen])
  return (
    <Section
      title="Live rounds"
      about="Prepare questions in the catalogue. Keys: O opens, C closes, A answers."
    >
      <Loaded of={rounds}>{data => <List of={data} rounds={rounds} />}</Loaded>
    </Section>
  )
}

function List({ of: { questions }, rounds }: { of: Rounds; rounds: Resource<Rounds> }) {
  const [answering, setAnswering] = useState<Round | null>(null)
  const show = (detail: Round) => {
    const replace = (one: Round) => (one.question.id === detail.question.id ? detail : one)
    rounds.set({ questions: questions.map(replace) })
  }
  const open = useAction(async (round: Round) => {
    const { id, opensAt, closesAt } = round.question
    // As long as it was prepared for.
    const length = Date.parse(closesAt) - Date.parse(opensAt)
    const until = new Date(timeNow() + length).toISOString()
    show(await api.openQuestion({ questionId: id, closesAt: until, reason: 'Opened in the cockpit.' }))
    toast(`Fans can vote: ${titleOf(round)}`)
  })
  const close = useAction(async (round: Round) => {
    show(await api.closeQuestion({ questionId: round.question.id, reason: 'Closed in the cockpit.' }))
    toast(`Closed: ${titleOf(round)}`)
  })
  const mayWrite = may('catalogue.write')
  const next = {
    o: questions.find(({ state }) => state === 'scheduled'),
    c: questions.find(({ state }) => state === 'open'),
    a: questions.findLast(round => round.state === 'closed' && isAnswerable(round)),
  }
  useKeys(mayWrite && answering === null, {
    o: () => next.o && open.run(next.o),
    c: () => next.c && close.run(next.c),
    a: () => next.a && setAnswering(next.a),
  })
  if (questions.length === 0) return <p class="quiet">No question is prepared for this match.</p>
  const error = open.error ?? close.error
  return (
    <>
      {error !== null && (
        <Failed
          error={error}
          onRetry={() => {
            open.clear()
            close.clear()
          }}
        />
      )}
      <ul class="rounds">
        {questions.map(round => {
          const { question, state, fans } = round
          const title = titleOf(round)
          return (
            <li key={question.id} aria-label={title}>
              <p class="round-head">
                <strong>
                  <bdi>{title}</bdi>
                </strong>{' '}
                <Badge tone={STATES[state].tone}>{STATES[state].title}</Badge>{' '}
                <span class="quiet">
                  {state === 'scheduled' ? (
                    <>
                      opens <Time at={question.opensAt} clock />
                    </>
                  ) : (
                    `${formatCount(fans)} ${fans === 1 ? 'fan' : 'fans'}`
                  )}
                </span>
              </p>
              {state !== 'scheduled' && <Tally of={round} />}
              {mayWrite && (
                <p class="actions">
                  {state === 'scheduled' && (
                    <Keyed hint={round === next.o ? 'O' : null}>
                      <Button
                        kind={round === next.o ? 'primary' : 'plain'}
                        label={`Open: ${title}`}
                        busy={open.isBusy}
                        onClick={() => open.run(round)}
                      >
                        Open
                      </Button>
                    </Keyed>
                  )}
                  {state === 'open' && (
                    <Keyed hint={round === next.c ? 'C' : null}>
                      <Button label={`Close: ${title}`} busy={close.isBusy} onClick={() => close.run(round)}>
                        Close
                      </Button>
                    </Keyed>
                  )}
                  {isAnswerable(round) && (state === 'closed' || state === 'settled') && (
                    <Keyed hint={round === next.a ? 'A' : null}>
                      <Button label={`Answer: ${title}`} onClick={() => setAnswering(round)}>
                        {state === 'settled' ? 'Correct …' : 'Answer …'}
                      </Button>
                    </Keyed>
                  )}
                </p>
              )}
            </li>
          )
        })}
      </ul>
      {answering && <Answer of={answering} onAnswered={show} onClose={() => setAnswering(null)} />}
    </>
  )
}

const Keyed = ({ hint, children }: { hint: string | null; children: preact.ComponentChildren }) => (
  <span class="with-action">
    {children}
    {hint !== null && <kbd>{hint}</kbd>}
  </span>
)

function Tally({ of: { choices, results, fans, question } }: { of: Round }) {
  const votesOf = (id: string) => results.find(({ optionId }) => optionId === id)?.votes ?? 0
  const named = [
    ...choices,
    ...results
      .filter(({ optionId }) => !choices.some(({ id }) => id === optionId))
      .map(({ optionId: id }) => ({ id, text: id })),
  ]
  // Of a whole team, only who has votes.
  const shown = named.length > 10 ? named.filter(({ id }) => votesOf(id) > 0) : named
  return (
    <dl class="tally">
      {shown.map(({ id, text }) => (
        <div key={id} class={question.correct === id ? 'correct' : ''}>
          <dt>
            <bdi>{text}</bdi>
            {question.correct === id && <span class="quiet"> (answer)</span>}
          </dt>
          <dd>
            <span class="tally-bar" aria-hidden="true">
              <span style={{ inlineSize: `${fans === 0 ? 0 : (votesOf(id) / fans) * 100}%` }} />
            </span>
            <span class="amount">{formatCount(votesOf(id))}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface AnswerProps {
  of: Round
  onAnswered: (round: Round) => void
  onClose: () => void
}

/** Says what the answer gives before it gives it. */
function Answer({ of, onAnswered, onClose }: AnswerProps) {
  const { question, choices, results } = of
  const [correct, setCorrect] = useState(question.correct ?? '')
  const fans = results.find(({ optionId }) => optionId === correct)?.votes ?? 0
  const points = question.points ?? 0
  return (
    <ReasonDialog
      title={`Answer: ${titleOf(of)}`}
      action="Answer it"
      tone={points > 0 ? 'danger' : 'primary'}
      blocked={correct === '' && 'Choose the right answer first.'}
      fields={
        <SelectField
          label="Right answer"
          pointer="/correct"
          required
          value={correct}
          options={[
            { value: '', title: 'Choose …' },
            ...choices.map(({ id, text }) => ({ value: id, title: text })),
          ]}
          onChange={setCorrect}
        />
      }
      onConfirm={async reason => {
        onAnswered(await api.answerQuestion({ questionId: question.id, correct, reason }))
        toast('The question is answered. Its votes are being settled.')
      }}
      onClose={onClose}
    >
      {correct === ''
        ? 'Without an answer the votes are not settled.'
        : points > 0
          ? `${formatCount(fans)} ${fans === 1 ? 'fan gets' : 'fans get'} ${formatCount(points)} points each: ${formatCount(fans * points)} in all. Another answer takes back what has not been spent.`
          : `${formatCount(fans)} ${fans === 1 ? 'fan was' : 'fans were'} right. The question gives no points.`}
    </ReasonDialog>
  )
}

/** Keys of the page, unless the person types, or a dialog is open. */
function useKeys(isOn: boolean, keys: Record<string, () => unknown>) {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    if (!isOn) return
    const press = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, altKey, repeat } = event
      const isTyping =
        target instanceof Element &&
        target.closest('input, textarea, select, [contenteditable], dialog[open]')
      if (isTyping || ctrlKey || metaKey || altKey || repeat || document.querySelector('dialog[open]')) return
      const run = latest.current[key.toLowerCase()]
      if (!run) return
      event.preventDefault()
      void run()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [isOn])
}
