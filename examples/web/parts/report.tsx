/** Reports a fan, a locker or a trade to the club. */
import { useState } from 'preact/hooks'
import { type Reason, report, type Subject } from '../api.ts'
import { text } from '../lang/lang.ts'
import { useWrite } from '../load.tsx'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

interface Filed {
  subject: Subject
  reason: Reason
  note: string | null
}

export function Report({ subject }: { subject: Subject }) {
  const [sent, setSent] = useState(false)
  const file = useWrite(async (filed: Filed, key) => {
    await report(filed, key)
    setSent(true)
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    // Guarantee of the cast: the values of the options are the reasons.
    const reason = fields.get('reason') as Reason
    return file.run({ subject, reason, note: String(fields.get('note')).trim() || null })
  }
  return (
    <details class="panel report">
      <summary>{text.report.title}</summary>
      <form class="form" onSubmit={submit}>
        <p class="quiet">{text.report.lead}</p>
        <label>
          <span>{text.report.reason}</span>
          <select name="reason">
            {Object.entries(text.reasons).map(([reason, words]) => (
              <option key={reason} value={reason}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{text.report.note}</span>
          <textarea name="note" maxLength={500} rows={2} />
        </label>
        {file.error !== null && <Notice error={file.error} />}
        <div class="form-foot">
          <Button submit kind="plain" busy={file.isBusy}>
            {text.report.send}
          </Button>
          <span aria-live="polite">{sent && text.report.sent}</span>
        </div>
      </form>
    </details>
  )
}
