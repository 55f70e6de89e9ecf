/** The address of a picture, which can be uploaded in its place. */
import { useId } from 'preact/hooks'
import { upload } from '../../api.ts'
import { type FieldProps, TextField } from '../../parts/form.tsx'
import { useAction } from '../../parts/resource.ts'
import { describe } from '../../parts/states.tsx'

interface PictureProps extends FieldProps {
  value: string
  onChange: (value: string) => void
}

export function PictureField({ value, onChange, ...field }: PictureProps) {
  const id = useId()
  const send = useAction(async (file: File) => {
    const { url } = await upload<{ url: string }>('/api/catalogue/pictures', file)
    onChange(url)
  })
  return (
    <div class="picture">
      <TextField {...field} value={value} onChange={onChange} placeholder="https://…" />
      {!field.disabled && (
        <div class="picture-upload">
          <label for={id}>Upload {field.label.toLowerCase()}</label>
          <input
            id={id}
            type="file"
            accept="image/jpeg,image/png,image/webp"
            aria-busy={send.isBusy}
            onChange={async event => {
              const input = event.currentTarget
              const [file] = input.files ?? []
              if (file) await send.run(file)
              input.value = ''
            }}
          />
          <span role="status" class="quiet">
            {send.isBusy ? 'Uploading…' : ''}
          </span>
          {send.error !== null && (
            <p class="field-error" role="alert">
              {describe(send.error)}
            </p>
          )}
        </div>
      )}
    </div>
  )
}
