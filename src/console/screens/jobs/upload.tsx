/** Uploads a file for an import, and starts its dry run. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { api, type Data, type Input } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import {
  CheckField,
  FieldFrame,
  Form,
  SelectField,
  TextArea,
  TextField,
  useField,
} from '../../parts/form.tsx'
import { formatBytes } from '../../parts/format.ts'
import { useAction } from '../../parts/resource.ts'
import { IMPORTS, type ImportKind, type RunData } from './words.ts'

const COLUMNS_MAX = 2_000

interface UploadProps {
  kind: ImportKind
  /** Called with the dry run of the file. */
  onSent: (run: RunData) => unknown
  onClose: () => unknown
}

/** The parts that have arrived, so that another attempt continues from there. */
interface Sent {
  file: File
  announced: Data<'announceImportFile'>
  bytes: number
}

export function Upload({ kind, onSent, onClose }: UploadProps) {
  const [file, setFile] = useState<File | null>(null)
  const [options, setOptions] = useState({ source: '', prune: false, force: false, dates: '', columns: '' })
  const [arrived, setArrived] = useState(0)
  const sent = useRef<Sent | null>(null)
  const closing = useRef(new AbortController())
  useEffect(() => () => closing.current.abort(), [])
  const send = useAction(async (chosen: File) => {
    const { signal } = closing.current
    if (sent.current?.file !== chosen) {
      const { name, size: bytes } = chosen
      const announced = await api.announceImportFile({ command: kind, name, bytes })
      sent.current = { file: chosen, announced, bytes: 0 }
    }
    const { announced } = sent.current
    const { id: fileId, partBytes } = announced
    while (sent.current.bytes < chosen.size) {
      const from = sent.current.bytes
      const file = chosen.slice(from, from + partBytes)
      await api.storeImportFilePart({ fileId, part: String(from / partBytes), file }, { signal })
      sent.current.bytes += file.size
      setArrived(sent.current.bytes)
    }
    onSent(await api.checkImportFile({ fileId, ...chosenOf(kind, options) }, { signal }))
  })
  const { what, about } = IMPORTS[kind]
  return (
    <Dialog title={`Import ${what}`} onClose={onClose}>
      <Form
        action={send}
        onSubmit={() => file && send.run(file)}
        foot={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              submit
              kind="primary"
              busy={send.isBusy}
              blocked={file === null ? 'Choose a file first.' : file.size === 0 && 'The file is empty.'}
            >
              Upload and try
            </Button>
          </>
        }
      >
        <div class="dialog-text">
          <p>{about}</p>
          <p>The file is tried first. You then see what would change, and decide.</p>
        </div>
        <FileField kind={kind} disabled={send.isBusy} onChange={setFile} />
        {kind === 'import-events' && (
          <TextField
            label="Source"
            pointer="/source"
            hint="The system that the events come from, such as till. Empty: operator."
            value={options.source}
            onChange={source => setOptions({ ...options, source })}
          />
        )}
        {kind === 'import-catalog' && (
          <>
            <CheckField
              label="Deactivate what is not in the file"
              hint="Applies to active entries of the kinds that occur in the file."
              value={options.prune}
              onChange={prune => setOptions({ ...options, prune })}
            />
            <CheckField
              label="Also move kick-offs of reported matches"
              hint="Otherwise a match whose state was reported keeps its kick-off."
              value={options.force}
              onChange={force => setOptions({ ...options, force })}
            />
          </>
        )}
        {kind === 'import-memberships' && (
          <>
            <SelectField
              label="Dates such as 03/04/2026"
              value={options.dates}
              options={[
                { value: '', title: 'There are none' },
                { value: 'dmy', title: 'Day first: 3 April' },
                { value: 'mdy', title: 'Month first: March 4' },
              ]}
              onChange={dates => setOptions({ ...options, dates })}
            />
            <TextArea
              label="Columns"
              pointer="/columns"
              hint="One a line: Card no.=number. Ours are ref, kind, number, holder, email, provider, subject, startsAt and endsAt."
              max={COLUMNS_MAX}
              value={options.columns}
              onChange={columns => setOptions({ ...options, columns })}
            />
          </>
        )}
        {file !== null && arrived > 0 && (
          <div class="run" role="status">
            <progress aria-label="Upload" value={arrived} max={file.size} />
            <span class="quiet">
              {formatBytes(arrived)} of {formatBytes(file.size)}
            </span>
          </div>
        )}
      </Form>
    </Dialog>
  )
}

interface Options {
  source: string
  prune: boolean
  force: boolean
  dates: string
  columns: string
}

/** The options of this kind. */
function chosenOf(
  kind: ImportKind,
  { source, prune, force, dates, columns }: Options,
): Omit<Input<'checkImportFile'>, 'fileId'> {
  if (kind === 'import-catalog') return { prune, force }
  if (kind === 'import-events') return source === '' ? {} : { source }
  if (kind === 'import-fans') return {}
  const pairs = columns.split('\n').flatMap(line => {
    const sign = line.lastIndexOf('=')
    // Guarantee of the cast: the server refuses a name that it does not know.
    const name = line.slice(sign + 1).trim() as ColumnName
    return line.trim() === '' ? [] : [{ column: line.slice(0, Math.max(sign, 0)).trim(), name }]
  })
  return {
    ...(dates === 'dmy' || dates === 'mdy' ? { dates } : {}),
    ...(pairs.length > 0 ? { columns: pairs } : {}),
  }
}

type ColumnName = NonNullable<Input<'checkImportFile'>['columns']>[number]['name']

interface FileProps {
  kind: ImportKind
  disabled: boolean
  onChange: (file: File | null) => unknown
}

function FileField({ kind, disabled, onChange }: FileProps) {
  const { accept } = IMPORTS[kind]
  const field = { label: 'File', pointer: '/name', required: true, disabled, hint: endsOf(accept) }
  const { id, error, control } = useField(field)
  return (
    <FieldFrame id={id} error={error} {...field}>
      <input
        {...control}
        type="file"
        accept={accept}
        onChange={event => onChange(event.currentTarget.files?.[0] ?? null)}
      />
    </FieldFrame>
  )
}

/** `.csv, .ndjson or .jsonl` */
const endsOf = (accept: string) => `${accept.replaceAll(',', ', ').replace(/, ([^,]*)$/, ' or $1')} file.`
