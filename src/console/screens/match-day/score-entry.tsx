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
import { FinishDialog } from './finish.tsx'
import { isSameState, type State, stateOf } from './report.ts'
import { type MatchDetail, STATUSES } from './words.ts'

const hasScores = (status: State['status']) => status === 'live' || status === 'finished'

/** The effect of the new state on settled predictions; null: none. */
function effectOf({ progress, ...before }: MatchDetail, after: State): string | null {
  if (progress.action === null || progress.action === 'reopen') return null
  if (isSameState(before, after)) return null
  const all = `${formatCount(progress.predictions)} ${progress.predictions === 1 ? 'prediction' : 'predictions'}`
  const granted = `The current result gave fans ${formatCount(progress.points)} points.`
  const rest = 'Points that a fan has already spent are not taken back.'
  if (after.status === 'finished')
    return `${all} will be settled again with the new result. ${granted} ${rest}`
  if (after.status === 'cancelled') return `${all} will not count. ${granted} They are taken back. ${rest}`
  return `${all} will be open again. ${granted} They are taken back. ${rest}`
}

export function ScoreEntry({ of, match }: { of: MatchDetail; match: Resource<MatchDetail> }) {
  const [base, setBase] = useState(of)
  const [state, setState] = useState<State>(stateOf(of))
  const [isConfirming, setConfirming] = useState(false)
  const isChanged = JSON.stringify(stateOf(base)) !== JSON.stringify(state)
  const isOutdated = of.revision !== base.revision
  useUnsaved(isChanged ? 'Your entry for the match' : null)
  /** Takes over reports of others while nothing is typed here. */
  const takeOver = (newer: MatchDetail) => {
    setBase(newer)
    setState(stateOf(newer))
  }
  useEffect(() => {
    if (isOutdated && !isChanged) takeOver(of)
  }, [of.revision])

  const send = async (next: State, reason?: string, early?: boolean) => {
    try {
      const revision = base.revision + 1
      const saved = await api.reportMatch({ matchId: of.id, ...next, revision, reason, early })
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
  const isResult = state.status === 'finished' && base.status !== 'finished'
  const submit = () => (effect === null && !isResult ? save.run(state) : setConfirming(true))
  const blocked = of.active ? false : 'This match is switched off in the catalogue.'
  return (
    <Section
      title="All fields"
      about="For a correction, another kick-off, or a match that is not played. They are saved together."
    >
      {(isOutdated || hasCode(save.error, 'stale_revision')) && (
        <Note tone="warn">
          <p>
            Another report arrived in the meantime: {STATUSES.find(({ value }) => value === of.status)?.title}
            , {of.homeScore ?? '–'} : {of.awayScore ?? '–'}, revision {of.revision}. Your entry is not saved.
          </p>
          <p class="actions">
            <Button small onClick={() => takeOver(of)}>
              Use theirs
            </Button>
            <Button
              small
              onClick={() => {
                setBase(of)
                save.clear()
              }}
            >
              Keep mine
            </Button>
          </p>
        </Note>
      )}
      <Form
        action={save}
        onSubmit={submit}
        foot={
          <>
            <Button onClick={() => takeOver(of)} blocked={!isChanged && 'Nothing has changed.'}>
              Discard
            </Button>
            <Button
              submit
              kind="primary"
              busy={save.isBusy}
              blocked={
                blocked ||
                (isOutdated && 'Decide about the other report first.') ||
                (!isChanged && 'Nothing has changed.')
              }
            >
              {effect !== null ? 'Correct …' : isResult ? 'Finish …' : 'Save'}
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
      {isConfirming && effect === null && isResult && (
        <FinishDialog
          of={of}
          state={state}
          onConfirm={(reason, early) => send(state, reason, early)}
          onClose={() => setConfirming(false)}
        />
      )}
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
