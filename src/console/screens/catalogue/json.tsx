/** The draft as JSON, as in a file of the catalogue. */
import { useState } from 'preact/hooks'
import { Copy } from '../../parts/button.tsx'
import { TextArea } from '../../parts/form.tsx'
import { isEqual, isMembers, type Members } from './shapes.ts'

interface JsonProps {
  draft: Members
  onChange: (draft: Members) => void
  disabled: boolean
}

const written = (draft: Members) => JSON.stringify(draft, null, 2)
const MAX_ROWS = 40

export function JsonPanel({ draft, onChange, disabled }: JsonProps) {
  const [text, setText] = useState(written(draft))
  const parsed = parse(text)
  // A discard or a merge replaced the draft.
  if (typeof parsed !== 'string' && !isEqual(parsed, draft)) setText(written(draft))
  return (
    <div class="json">
      <TextArea
        label="Entry"
        required
        disabled={disabled}
        rows={Math.min(MAX_ROWS, text.split('\n').length + 1)}
        value={text}
        hint="The format is that of a catalogue file."
        onChange={next => {
          setText(next)
          const entry = parse(next)
          if (typeof entry !== 'string') onChange(entry)
        }}
      />
      {typeof parsed === 'string' && (
        // Invalid JSON must not be saved, since the form would save the last valid draft instead.
        <p class="field-error" role="alert" data-empty>
          {parsed}
        </p>
      )}
      {text.length < 500 && <Copy value={text} short label="Copy the JSON" />}
    </div>
  )
}

/** The entry, or the error of the text. */
function parse(text: string): Members | string {
  try {
    const value: unknown = JSON.parse(text)
    return isMembers(value) ? value : 'An entry must be a JSON object.'
  } catch (error) {
    return `This is not valid JSON: ${error instanceof Error ? error.message : ''}`
  }
}
