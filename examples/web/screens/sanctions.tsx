/** What the club decided about the account, why, and the appeal against each decision. */
import { useEffect } from 'preact/hooks'
import { fileAppeal, followEvents, orNull, readSanctions, type Sanction } from '../api.ts'
import { formatMoment, text } from '../lang/lang.ts'
import { Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Statement, wordsOf } from '../parts/standing.tsx'
import { addressOf } from '../router.tsx'

export function Sanctions() {
  const loaded = useLoaded('standing', readSanctions)
  const { reload } = loaded
  // The club lifts a sanction or decides an appeal.
  useEffect(() => followEvents(() => void reload()), [reload])
  return (
    <Screen title={text.sanctions.title} lead={text.sanctions.lead} up={addressOf('profile')}>
      <Loading of={loaded}>
        {({ sanctions }) =>
          sanctions.length === 0 ? (
            <Empty>{text.sanctions.none}</Empty>
          ) : (
            sanctions.map(sanction => <Decision key={sanction.id} sanction={sanction} reload={reload} />)
          )
        }
      </Loading>
    </Screen>
  )
}

interface DecisionProps {
  sanction: Sanction
  reload: () => Promise<void>
}

function Decision({ sanction, reload }: DecisionProps) {
  const { createdAt, liftedAt, inForce, appealable, appeal } = sanction
  return (
    <section class="panel sanction" aria-label={text.sanctions.decidedAt(formatMoment(createdAt))}>
      <p class="quiet">{text.sanctions.decidedAt(formatMoment(createdAt))}</p>
      <strong class="line">
        {inForce
          ? wordsOf(sanction)
          : liftedAt
            ? text.sanctions.lifted(formatMoment(liftedAt))
            : text.sanctions.over}
      </strong>
      <Statement sanction={sanction} />
      {appealable && <AppealForm sanctionId={sanction.id} reload={reload} />}
      {appeal && (
        <div class="appeal" role="status">
          <strong class="line">{text.sanctions.appeal[appeal.status]}</strong>
          <span class="quiet line">{text.sanctions.sentAt(formatMoment(appeal.createdAt))}</span>
          {appeal.decidedAt && (
            <span class="quiet line">{text.sanctions.answeredAt(formatMoment(appeal.decidedAt))}</span>
          )}
          <bdi class="statement">{appeal.text}</bdi>
        </div>
      )}
    </section>
  )
}

function AppealForm({ sanctionId, reload }: { sanctionId: string; reload: () => Promise<void> }) {
  const file = useWrite(async (why: string, key) => {
    // Another device has appealed, or the sanction has ended: the list says so.
    await orNull(fileAppeal({ sanctionId, text: why }, key), 'already_appealed', 'sanction_not_in_force')
    await reload()
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const why = String(fields.get('text')).trim()
    return why === '' ? undefined : file.run(why)
  }
  return (
    <form class="form appeal" onSubmit={submit}>
      <p class="quiet">{text.sanctions.appealLead}</p>
      <label>
        <span>{text.sanctions.why}</span>
        <textarea name="text" maxLength={2_000} rows={4} required />
      </label>
      {file.error !== null && <Notice error={file.error} />}
      <div class="form-foot">
        <Button submit kind="plain" busy={file.isBusy}>
          {text.sanctions.send}
        </Button>
      </div>
    </form>
  )
}
