/** A picture: dropped, chosen from this device and cropped, or named by its address. */
import { createContext } from 'preact'
import { useContext, useId, useRef, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { type FieldProps, TextField } from '../../parts/form.tsx'
import { Picture } from '../../parts/picture.tsx'
import { useAction } from '../../parts/resource.ts'
import { describe } from '../../parts/states.tsx'
import { hasRatio } from './crop.ts'
import { CropDialog } from './crop-dialog.tsx'
import type { KindName } from './kinds.ts'

/** The kind of the entry that is edited. */
export const EntryKind = createContext<KindName | null>(null)

/** Width to height, as apps show the pictures of a kind. Logos have any. */
const RATIOS: Partial<Record<KindName, number>> = {
  team: 1,
  pack: 3 / 3.7,
  reward: 16 / 10,
  quest: 16 / 10,
  product: 16 / 10,
  membership: 16 / 10,
}
/** Of a collectible, in a pack. */
const CARD = 3 / 3.6

interface PictureProps extends FieldProps {
  value: string
  onChange: (value: string) => void
}

/** The same as `MAX_UPLOAD_BYTES`: the server would refuse a larger file. */
const MAX_BYTES = 6 * 1024 * 1024

export function PictureField({ value, onChange, ...field }: PictureProps) {
  const id = useId()
  const kind = useContext(EntryKind)
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [isTooLarge, setTooLarge] = useState(false)
  const [cropped, setCropped] = useState<{ file: File; image: ImageBitmap } | null>(null)
  const send = useAction(async (file: Blob) => {
    const { url } = await api.uploadCataloguePicture({ file })
    onChange(url)
  })
  const ratio = /\/items\/\d+\//.test(field.pointer ?? '') ? CARD : kind === null ? undefined : RATIOS[kind]
  const upload = async (file: Blob) => {
    setTooLarge(file.size > MAX_BYTES)
    if (file.size <= MAX_BYTES && (await send.run(file))) setCropped(null)
  }
  async function take(file: File | undefined) {
    send.clear()
    setTooLarge(false)
    if (file === undefined) return
    // Undefined for what is no picture: the server says what is wrong with it.
    const image = await createImageBitmap(file).catch(() => undefined)
    if (image && ratio !== undefined && !hasRatio(image, ratio)) setCropped({ file, image })
    else await upload(file)
  }
  const isFailed = isTooLarge || send.error !== null
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a file is dropped by pointer; its button does the same
    <div
      class={isOver ? 'picture over' : 'picture'}
      onDragOver={event => {
        if (field.disabled || !event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        if (field.disabled) return
        event.preventDefault()
        setOver(false)
        void take(event.dataTransfer?.files[0])
      }}
    >
      <Picture address={value === '' ? null : value} class="picture-shown" />
      <div class="picture-fields">
        <TextField {...field} value={value} onChange={onChange} placeholder="https://…" />
        {!field.disabled && (
          <div class="picture-upload">
            <Button
              small
              icon="picture"
              busy={send.isBusy && cropped === null}
              onClick={() => input.current?.click()}
            >
              Choose a file
            </Button>
            <span class="quiet">or drop a picture here</span>
            {value !== '' && (
              <Button
                small
                kind="quiet"
                icon="remove"
                label={`Remove ${field.label.toLowerCase()}`}
                onClick={() => onChange('')}
              />
            )}
            <label class="unseen" for={id}>
              Upload {field.label.toLowerCase()}
            </label>
            <input
              ref={input}
              id={id}
              class="unseen"
              type="file"
              tabIndex={-1}
              accept="image/jpeg,image/png,image/webp"
              aria-busy={send.isBusy}
              onChange={async event => {
                const chosen = event.currentTarget
                await take(chosen.files?.[0])
                chosen.value = ''
              }}
            />
            <span role="status" class="quiet">
              {send.isBusy ? 'Uploading…' : ''}
            </span>
            {isFailed && (
              <p class="field-error" role="alert">
                {isTooLarge ? 'The file is larger than 6 MiB.' : describe(send.error)}
              </p>
            )}
          </div>
        )}
      </div>
      {cropped && ratio !== undefined && (
        <CropDialog
          {...cropped}
          ratio={ratio}
          isBusy={send.isBusy}
          onUse={upload}
          onClose={() => setCropped(null)}
        />
      )}
    </div>
  )
}
