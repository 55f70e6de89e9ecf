/** The address of a picture, or an upload of one. */
import { useId, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { type FieldProps, TextField } from '../../parts/form.tsx'
import { useAction } from '../../parts/resource.ts'
import { describe } from '../../parts/states.tsx'

interface PictureProps extends FieldProps {
  value: string
  onChange: (value: string) => void
}

/** The same as `MAX_UPLOAD_BYTES`: the server would refuse a larger file. */
const MAX_BYTES = 6 * 1024 * 1024

export function PictureField({ value, onChange, ...field }: PictureProps) {
  const id = useId()
  const [isTooLarge, setTooLarge] = useState(false)
  const send = useAction(async (file: File) => {
    const { url } = await api.uploadCataloguePicture({ file })
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
              const fits = file !== undefined && file.size <= MAX_BYTES
              send.clear()
              setTooLarge(file !== undefined && !fits)
              if (fits) await send.run(file)
              input.value = ''
            }}
          />
          <span role="status" class="quiet">
            {send.isBusy ? 'Uploading…' : ''}
          </span>
          {(isTooLarge || send.error !== null) && (
            <p class="field-error" role="alert">
              {isTooLarge ? 'The file is larger than 6 MiB.' : describe(send.error)}
            </p>
          )}
        </div>
      )}
    </div>
  )
}
