/** Status, scores and kick-off, written together with the next revision. */
import { useEffect, useState } from 'preact/hooks'
import { api, hasCode } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { Form, NumberField, SelectField } from '../../parts/form.tsx'
import { formatCount } from '../../parts/format.ts'
import { Section } from '../../parts/page.tsx'
import { type Resource, useAction } from '../../parts/resource.ts'
import { TimeField } from '../../parts/special-fields.tsx'
import { Note } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { useUnsaved } from '../../router.tsx'
import { type MatchDetail, STATUSES } from './words.ts'

type State = Pick<MatchDetail, 'status' | 'homeScore' | 'awayScore' | 'kickoffAt'>

const stateOf = ({ status, homeScore, awayScore, kickoffAt }: State): State => ({
  status,
  homeScore,
  awayScore,
  kickoffAt,
})

const hasScores = (status: State['status']) => status === 'live' || status === 'finished'

/** The effect of the new state on settled predictions; null: none. */
function effectOf({ progress, ...before }: MatchDetail, after: State): string | null {
  if (progress.action === null || progress.action === 'reopen') return null
  const isSame =
    before.status === after.status &&
    before.homeScore === after.homeScore &&
    before.awayScore === after.awayScore &&
    before.kickoffAt === after.kickoffAt
  if (isSame) return null
  const all = `${formatCount(progress.predictions)} ${progress.predictions === 1 ? 'prediction' : 'predictions'}`
  const granted = `By the current result fans have ${formatCount(progress.points)} points.`
  const rest = 'What a fan has spent meanwhile is not taken back.'
  if (after.status === 'finished') return `${all} will be settled again by the new result. ${granted} ${rest}`
  if (after.status === 'cancelled')
    return `${all} will count for nothing. ${granted} They are taken back. ${rest}`
  return `${all} will be open again. ${granted} They are taken back. ${rest}`
}

export function ScoreEntry({ of, match }: { of: MatchDetail; match: Resource<MatchDetail> }) {
  const [base, setBase] = useState(of)
  const [state, setState] = useState<State>(stateOf(of))
  const [isConfirming, setConfirming] = useState(false)
  const isChanged = JSON.stringify(stateOf(base)) !== JSON.stringify(state)
  const isOutdated = of.revision !== base.revision
  useUnsaved(isChanged ? 'What you entered for the match' : null)
  /** Takes over reports of others while nothing is typed here. */
  const takeOver = (newer: MatchDetail) => {
    setBase(newer)
    setState(stateOf(newer))
  }
  useEffect(() => {
    if (isOutdated && !isChanged) takeOver(of)
  }, [of.revision])

  const send = async (next: State, reason?: string) => {
    try {
      const saved = await api.reportMatch({ matchId: of.id, ...next, revision: base.revision + 1, reason })
      match.set(saved)
      takeOver(saved)
      toast('The match was updated.')
    } catch (error) {
      if (hasCode(error, 'stale_revision')) await match.reload()
      throw error
    }
  }
  const save = useAction((next: State) => send(next))
  const effect = effectOf(base, state)
  const submit = () => (effect === null ? save.run(state) : setConfirming(true))
  const score = (side: 'homeScore' | 'awayScore', by: number) => {
    const next: State = {
      ...state,
      homeScore: state.homeScore ?? 0,
      awayScore: state.awayScore ?? 0,
      [side]: Math.max(0, (state[side] ?? 0) + by),
    }
    setState(next)
  }
  const blocked = of.active ? false : 'The catalogue has switched this match off.'
  return (
    <Section title="Score" about="It is saved as a whole, with the next revision.">
      {(isOutdated || hasCode(save.error, 'stale_revision')) && (
        <Note tone="warn">
          <p>
            Another report came meanwhile: {STATUSES.find(({ value }) => value === of.status)?.title},{' '}
            {of.homeScore ?? '–'} : {of.awayScore ?? '–'}, revision {of.revision}. What you wrote is not
            saved.
          </p>
          <p class="actions">
            <Button small onClick={() => takeOver(of)}>
              Take theirs
            </Button>
            <Button
              small
              onClick={() => {
                setBase(of)
                save.clear()
              }}
            >
              Keep mine, to save it after theirs
            </Button>
          </p>
        </Note>
      )}
      <Form
        action={save}
        onSubmit={submit}
        foot={
          <>
            <Button onClick={() => takeOver(of)} blocked={!isChanged && 'Nothing is changed.'}>
              Discard
            </Button>
            <Button
              submit
              kind="primary"
              busy={save.isBusy}
              blocked={
                blocked ||
                (isOutdated && 'Decide about the other report first.') ||
                (!isChanged && 'Nothing is changed.')
              }
            >
              {effect === null ? 'Save' : 'Correct …'}
            </Button>
          </>
        }
      >
        <SelectField
          label="Status"
          pointer="/status"
          required
          value={state.status}
          options={STATUSES}
          onChange={status => {
            const keeps = hasScores(status)
            setState({
              ...state,
              status,
              homeScore: keeps ? (state.homeScore ?? 0) : null,
              awayScore: keeps ? (state.awayScore ?? 0) : null,
            })
          }}
        />
        {hasScores(state.status) && (
          <div class="scores">
            {(['homeScore', 'awayScore'] as const).map(side => {
              const team = side === 'homeScore' ? of.home.name : of.away.name
              return (
                <div key={side} class="score-side">
                  <NumberField
                    label={team}
                    pointer={`/${side}`}
                    required
                    min={0}
                    max={999}
                    value={state[side]}
                    onChange={value => setState({ ...state, [side]: value })}
                  />
                  <div class="goals">
                    <Button icon="add" label={`Goal for ${team}`} onClick={() => score(side, 1)} />
                    <Button
                      kind="quiet"
                      label={`−1: take a goal from ${team}`}
                      onClick={() => score(side, -1)}
                    >
                      −1
                    </Button>
                  </div>
                </div>
              )
            })}
          </div>
        )}
        <TimeField
          label="Kick-off"
          pointer="/kickoffAt"
          required
          value={state.kickoffAt}
          onChange={kickoffAt => kickoffAt !== null && setState({ ...state, kickoffAt })}
        />
      </Form>
      {isConfirming && effect !== null && (
        <ReasonDialog
          title="Correct the result"
          action="Correct it"
          tone="danger"
          onConfirm={reason => send(state, reason)}
          onClose={() => setConfirming(false)}
        >
          {effect}
        </ReasonDialog>
      )}
    </Section>
  )
}
