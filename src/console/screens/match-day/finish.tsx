/** Ends a match: says what the result does with predictions before it is sent. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { CheckField } from '../../parts/form.tsx'
import { formatCount, formatTime } from '../../parts/format.ts'
import { useResource } from '../../parts/resource.ts'
import { Loaded, Note } from '../../parts/states.tsx'
import { isEarly, type State } from './report.ts'
import type { MatchDetail } from './words.ts'

interface FinishProps {
  of: MatchDetail
  /** The result. */
  state: State
  onConfirm: (reason: string, early: boolean) => Promise<unknown>
  onClose: () => unknown
}

export function FinishDialog({ of, state, onConfirm, onClose }: FinishProps) {
  const [isSure, setSure] = useState(false)
  const [homeScore, awayScore] = [state.homeScore ?? 0, state.awayScore ?? 0]
  const { kickoffAt } = state
  const forecast = useResource(
    `forecast ${of.id} ${of.revision} ${homeScore} ${awayScore} ${kickoffAt}`,
    signal => api.forecastMatch({ matchId: of.id, homeScore, awayScore, kickoffAt }, { signal }),
  )
  const now = Date.now()
  const early = isEarly(kickoffAt, now)
  const isToCome = Date.parse(kickoffAt) > now
  return (
    <ReasonDialog
      title={`Finish ${of.home.name} ${homeScore} : ${awayScore} ${of.away.name}?`}
      action={`Finish ${homeScore} : ${awayScore}`}
      tone={early ? 'danger' : 'primary'}
      blocked={
        (forecast.data === null && 'The predictions are being counted.') ||
        (early && !isSure && 'Confirm first that the match is over.')
      }
      fields={
        early && (
          <>
            <Note tone="bad">
              {isToCome ? 'This match has not begun' : 'This match began less than 45 minutes ago'}: its
              kick-off is {formatTime(kickoffAt)}.
            </Note>
            <CheckField label="The match is over, and this is its result" value={isSure} onChange={setSure} />
          </>
        )
      }
      onConfirm={reason => onConfirm(reason, early)}
      onClose={onClose}
    >
      <Loaded of={forecast}>{counted => <Forecast of={counted} />}</Loaded>
    </ReasonDialog>
  )
}

const plural = (count: number, noun: string) => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`

function Forecast({ of: counted }: { of: Data<'forecastMatch'> }) {
  const { predictions, exact, difference, outcome, missed, late, grants, takesBack } = counted
  if (predictions === 0) return <p>Nobody has predicted this match: nothing is settled.</p>
  return (
    <>
      <p>
        This settles <strong>{plural(predictions, 'prediction')}</strong> and grants{' '}
        <strong>{plural(grants, 'point')}</strong>
        {takesBack > 0 && `, and takes back ${plural(takesBack, 'point')} that fans have not spent`}.
      </p>
      <p class="quiet">
        {formatCount(exact)} exact, {formatCount(difference)} with the goal difference, {formatCount(outcome)}{' '}
        with the winner or the draw, {formatCount(missed)} without points
        {late > 0 && `, ${formatCount(late)} made after the kick-off, which do not count`}.
      </p>
    </>
  )
}
