/** A live round: the question with its choices, then its results, and what came of it. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Choice, type Question, vote } from '../api.ts'
import { formatPercent, formatTime, text } from '../lang/lang.ts'
import { useWrite } from '../load.tsx'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Picture } from './picture.tsx'
import { PresentedBy } from './presented-by.tsx'
import { Refused } from './refused.tsx'

/** Above this, ratings are numbers instead of stars. */
const MOST_STARS = 5

interface RoundSheetProps {
  question: Question
  /** By the fan: the sheet gets the focus. */
  isChosen: boolean
  onVoted: (question: Question) => void
  /** Leads to another open question. */
  onNext: (() => void) | undefined
  onClose: () => void
}

/** Not modal: the score and the list stay in reach. */
export function RoundSheet({ question, isChosen, onVoted, onNext, onClose }: RoundSheetProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (isChosen) heading.current?.focus({ preventScroll: true })
  }, [])
  // A choice that can no longer be made has lost the focus.
  useLayoutEffect(() => {
    if (question.myVote !== null && document.activeElement === document.body)
      heading.current?.focus({ preventScroll: true })
  }, [question.myVote, question.state])
  return (
    <section
      class="sheet"
      aria-labelledby="round-title"
      onKeyDown={event => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <div class="sheet-head">
        <h2 id="round-title" ref={heading} tabIndex={-1}>
          {question.title}
        </h2>
        <button type="button" class="sheet-close" aria-label={text.rounds.close} onClick={onClose}>
          <Icon name="remove" />
        </button>
      </div>
      <Round question={question} onVoted={onVoted} />
      {onNext && question.myVote !== null && (
        <Button kind="plain" onClick={onNext}>
          {text.rounds.next}
        </Button>
      )}
    </section>
  )
}

export function Round({ question, onVoted }: { question: Question; onVoted: (question: Question) => void }) {
  const { id, state, imageUrl, sponsor, options, scale, myVote, changeable, points } = question
  const write = useWrite(async (choice: Choice, key) => onVoted(await vote(id, choice, key)))
  const mayVote = state === 'open' && (myVote === null || changeable)
  const props = { question, busy: write.busy, choose: mayVote ? write.run : null }
  return (
    <div class="round">
      <PresentedBy sponsor={sponsor} />
      {imageUrl && <Picture src={imageUrl} class="round-picture" />}
      {points !== null && mayVote && myVote === null && <p class="quiet">{text.rounds.worth(points)}</p>}
      {scale === null ? <Answers {...props} options={options} /> : <Rating {...props} scale={scale} />}
      <Refused write={write} />
      <p class="round-state" role="status">
        <Outcome question={question} />
      </p>
    </div>
  )
}

interface ChoicesProps {
  question: Question
  /** What is being sent. */
  busy: Choice | null
  /** Null: the fan cannot vote now. */
  choose: ((choice: Choice) => unknown) | null
}

/** The votes of an option, as a share of all. */
function shareOf({ results }: Question, optionId: string): { votes: number; share: number } | null {
  if (results === null) return null
  const votes = results.find(one => one.optionId === optionId)?.votes ?? 0
  return { votes, share: votes === 0 ? 0 : votes / countVotes(results) }
}

const countVotes = (results: NonNullable<Question['results']>) =>
  results.reduce((sum, { votes }) => sum + votes, 0)

const percentOf = (share: number) => formatPercent(share.toFixed(2))

function Answers({ question, busy, choose, options }: ChoicesProps & { options: Question['options'] }) {
  const { kind, myVote, correct } = question
  const hasFaces = kind === 'player'
  return (
    <ul class={hasFaces ? 'answers faces' : 'answers'}>
      {options.map(option => {
        const own = myVote === option.id
        const counted = shareOf(question, option.id)
        const content = (
          <>
            {(option.imageUrl || hasFaces) && <Picture src={option.imageUrl} class="answer-face" />}
            <span class="answer-text">{option.text}</span>
            {correct === option.id && <Mark label={text.rounds.answer} />}
            {own && correct !== option.id && <span class="pill strong">{text.rounds.yours}</span>}
            {counted && <Bar {...counted} />}
          </>
        )
        return (
          <li key={option.id}>
            {choose ? (
              <button
                type="button"
                class="answer"
                aria-pressed={own}
                aria-busy={busy !== null && 'optionId' in busy && busy.optionId === option.id}
                onClick={() => choose({ optionId: option.id })}
              >
                {content}
              </button>
            ) : (
              <div class={own ? 'answer own' : 'answer'}>{content}</div>
            )}
          </li>
        )
      })}
    </ul>
  )
}

const Mark = ({ label }: { label: string }) => (
  <span class="ready">
    <Icon name="check" />
    {label}
  </span>
)

/** It grows once, when it is first shown. */
const Bar = ({ share }: { share: number }) => (
  <span class="answer-share">
    <span class="share-bar" aria-hidden="true">
      <span style={{ inlineSize: `${share * 100}%` }} />
    </span>
    <span class="share-text">{percentOf(share)}</span>
  </span>
)

function Rating({ question, busy, choose, scale }: ChoicesProps & { scale: number }) {
  const { myVote, results, correct } = question
  const own = myVote === null ? 0 : Number(myVote)
  const sent = busy !== null && 'rating' in busy ? busy.rating : 0
  const ratings = Array.from({ length: scale }, (_, nth) => nth + 1)
  const count = results ? countVotes(results) : 0
  const sum = (results ?? []).reduce((sum, { optionId, votes }) => sum + Number(optionId) * votes, 0)
  const average = (sum / Math.max(1, count)).toLocaleString(document.documentElement.lang, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  })
  return (
    <>
      <fieldset class={scale > MOST_STARS ? 'ratings numbers' : 'ratings'}>
        <legend class="unseen">{question.title}</legend>
        {ratings.map(rating => (
          <button
            key={rating}
            type="button"
            class={rating <= (sent || own) ? 'rating lit' : 'rating'}
            aria-label={text.rounds.rate(rating, scale)}
            aria-pressed={rating === own}
            aria-busy={rating === sent}
            disabled={choose === null}
            onClick={() => choose?.({ rating })}
          >
            {scale > MOST_STARS ? rating.toLocaleString(document.documentElement.lang) : <Icon name="star" />}
          </button>
        ))}
      </fieldset>
      {results && count > 0 && (
        <>
          <p class="average">
            <strong>{text.rounds.average(average, scale)}</strong>
          </p>
          <ul class="answers spread">
            {ratings.toReversed().map(rating => {
              const counted = shareOf(question, String(rating))
              return (
                <li key={rating} class={rating === own ? 'answer own' : 'answer'}>
                  <span class="answer-text">{text.rounds.rate(rating, scale)}</span>
                  {correct === String(rating) && <Mark label={text.rounds.answer} />}
                  {counted && <Bar {...counted} />}
                </li>
              )
            })}
          </ul>
        </>
      )}
    </>
  )
}

/** Where the question and the fan stand. */
function Outcome({ question }: { question: Question }) {
  const { state, myVote, correct, points, changeable, results, opensAt, closesAt } = question
  const counted = results && <span class="quiet">{text.rounds.votes(countVotes(results))}</span>
  if (state === 'scheduled') return <span class="quiet">{text.rounds.opens(formatTime(opensAt))}</span>
  if (state === 'open')
    return (
      <>
        {myVote === null ? (
          <span class="quiet">{text.rounds.closes(formatTime(closesAt))}</span>
        ) : (
          <span class="ready">
            <Icon name="check" />
            {changeable ? text.rounds.changeable : text.rounds.counted}
          </span>
        )}
        {myVote !== null && results === null && <span class="quiet">{text.rounds.hidden}</span>}
        {counted}
      </>
    )
  if (myVote === null)
    return (
      <>
        <span class="quiet">{text.rounds.over}</span>
        <span class="quiet">{text.rounds.missed}</span>
        {counted}
      </>
    )
  if (correct === null)
    return (
      <>
        <span class="quiet">{points === null ? text.rounds.over : text.rounds.waiting}</span>
        {counted}
      </>
    )
  return (
    <>
      {String(myVote) === correct ? (
        <Mark label={text.rounds.right(points)} />
      ) : (
        <strong>{text.rounds.wrong}</strong>
      )}
      {counted}
    </>
  )
}
