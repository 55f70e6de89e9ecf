/** A match with its live rounds: the score stays in view, and a round is a sheet below it, kept up to date by the stream. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  followRounds,
  orNull,
  type Question,
  readCompetitions,
  readMatch,
  readQuestions,
  readTeams,
} from '../api.ts'
import { formatTime, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { Empty, NotFound, Screen, Section } from '../parts/layout.tsx'
import { MatchCard } from '../parts/match-card.tsx'
import { RoundSheet } from '../parts/round.tsx'
import { addressOf } from '../router.tsx'

/** A stream follows 20 topics, one of which is the match. */
const MOST_FOLLOWED = 19
const ORDER = { open: 0, scheduled: 1, closed: 2, settled: 3 }
const inOrder = (questions: Question[]) =>
  questions.toSorted((a, b) => ORDER[a.state] - ORDER[b.state] || a.opensAt.localeCompare(b.opensAt))

async function loadMatch(matchId: string) {
  const [match, { teams }, { competitions }, { questions }] = await Promise.all([
    orNull(readMatch(matchId), 'match_not_found'),
    readTeams(),
    readCompetitions(),
    readQuestions(matchId),
  ])
  return { match, teams, competitions, questions: inOrder(questions) }
}
type MatchData = Awaited<ReturnType<typeof loadMatch>>

export function MatchScreen({ id }: { id: string }) {
  const loaded = useLoaded(`match ${id}`, () => loadMatch(id))
  const { data, set, reload } = loaded
  const current = useRef(data)
  current.current = data
  const change = (to: (data: MatchData) => MatchData) => {
    if (current.current) {
      current.current = to(current.current)
      set(current.current)
    }
  }
  const changeQuestion = (questionId: string, to: (question: Question) => Question) =>
    change(all => ({
      ...all,
      questions: inOrder(all.questions.map(one => (one.id === questionId ? to(one) : one))),
    }))
  const [chosen, setChosen] = useState<string | null>(null)
  // Only by the fan: a round that opens then shows itself.
  const [isClosed, setClosed] = useState(false)
  const followed = data?.questions.slice(0, MOST_FOLLOWED).map(question => question.id)
  const ids = followed?.toSorted().join()
  useEffect(() => {
    if (ids === undefined) return
    return followRounds(id, ids === '' ? [] : ids.split(','), {
      match: scores => change(all => ({ ...all, match: all.match && { ...all.match, ...scores } })),
      question(questionId, asked) {
        if (asked === null) return void reload()
        const before = current.current?.questions.find(one => one.id === questionId)
        if (asked.state === 'open' && before?.state === 'scheduled') setClosed(false)
        // Results that only some fans see are not in the event, and stay.
        changeQuestion(questionId, one => ({ ...one, ...asked, results: asked.results ?? one.results }))
      },
      missed: () => void reload(),
    })
  }, [id, ids])
  const toAnswer = data?.questions.filter(({ state, myVote }) => state === 'open' && myVote === null) ?? []
  const shown =
    data?.questions.find(question => question.id === chosen) ?? (isClosed ? undefined : toAnswer[0])
  const next = toAnswer.find(question => question.id !== shown?.id)
  const open = (questionId: string) => {
    setChosen(questionId)
    setClosed(false)
  }
  return (
    <Loading of={loaded} skeleton={<Bones kind="tile" count={2} />}>
      {({ match, teams, competitions, questions }) =>
        match === null ? (
          <NotFound />
        ) : (
          <Screen title={text.rounds.title} up={addressOf('matches')} bare>
            <h1 class="unseen">{text.rounds.title}</h1>
            <div class={shown ? 'rounds with-sheet' : 'rounds'}>
              <ScoreInView>
                <MatchCard match={match} teams={teams} competitions={competitions} />
              </ScoreInView>
              {shown && (
                <RoundSheet
                  key={shown.id}
                  question={shown}
                  isChosen={chosen !== null}
                  onVoted={question => {
                    // The sheet stays with what the fan has answered.
                    setChosen(question.id)
                    changeQuestion(question.id, () => question)
                  }}
                  onNext={next && (() => open(next.id))}
                  onClose={() => {
                    setChosen(null)
                    setClosed(true)
                    document.getElementById(`round-${shown.id}`)?.focus()
                  }}
                />
              )}
              <Section title={text.rounds.title}>
                {questions.length === 0 ? (
                  <Empty>{text.rounds.empty}</Empty>
                ) : (
                  <ul class="list round-list">
                    {questions.map(question => (
                      <li key={question.id}>
                        <RoundRow question={question} isShown={question === shown} onOpen={open} />
                      </li>
                    ))}
                  </ul>
                )}
              </Section>
            </div>
          </Screen>
        )
      }
    </Loading>
  )
}

interface RoundRowProps {
  question: Question
  isShown: boolean
  onOpen: (questionId: string) => void
}

const RoundRow = ({
  question: { id, title, state, opensAt, myVote, correct },
  isShown,
  onOpen,
}: RoundRowProps) => (
  <button
    type="button"
    id={`round-${id}`}
    class="round-row"
    aria-expanded={isShown}
    onClick={() => onOpen(id)}
  >
    <span class="line">{title}</span>
    <span class="round-facts">
      <span class={`pill ${state === 'open' ? 'live' : ''}`}>{text.rounds.states[state]}</span>
      <span class="quiet">
        {state === 'scheduled' && text.rounds.opens(formatTime(opensAt))}
        {myVote !== null && correct === null && text.rounds.yours}
        {myVote !== null &&
          correct !== null &&
          (String(myVote) === correct ? text.rounds.right(null) : text.rounds.wrong)}
      </span>
    </span>
  </button>
)

/** Stays at the top, and says where it ends: the sheet begins below. */
function ScoreInView({ children }: { children: preact.ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const card = place.current
    if (!card) return
    const measure = () => {
      const end = Math.ceil(card.getBoundingClientRect().bottom + scrollY)
      document.documentElement.style.setProperty('--score-end', `${end}px`)
    }
    const sizes = new ResizeObserver(measure)
    sizes.observe(card)
    sizes.observe(document.documentElement)
    return () => {
      sizes.disconnect()
      document.documentElement.style.removeProperty('--score-end')
    }
  }, [])
  return (
    <div ref={place} class="score-in-view">
      {children}
    </div>
  )
}
