/** Chooses the part of a picture that has the ratio of its kind: with the pointer, the arrow keys and a slider. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { drawPart, sizeOf, wholeOf, within } from './crop.ts'

interface CropProps {
  image: ImageBitmap
  file: File
  ratio: number
  isBusy: boolean
  onUse: (picture: Blob) => unknown
  onClose: () => unknown
}

const MAX_ZOOM = 5
/** Of the part, for each press of an arrow key. */
const STEP = 0.04

export function CropDialog({ image, file, ratio, isBusy, onUse, onClose }: CropProps) {
  const [crop, setCrop] = useState(() => wholeOf(image))
  const [url, setUrl] = useState('')
  const [isFailed, setFailed] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  const part = sizeOf(image, ratio, crop.zoom)
  const change = (next: Partial<typeof crop>) =>
    setCrop(before => within(image, ratio, { ...before, ...next }))
  const onKeyDown = (event: KeyboardEvent) => {
    const [x, y] =
      { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? []
    if (x === undefined || y === undefined) return
    event.preventDefault()
    change({ x: crop.x + x * STEP * part.width, y: crop.y + y * STEP * part.height })
  }
  const onPointerMove = (event: PointerEvent) => {
    if (!event.buttons) return
    const scale = part.width / (frame.current?.clientWidth ?? part.width)
    change({ x: crop.x - event.movementX * scale, y: crop.y - event.movementY * scale })
  }
  const use = async (ofRatio: number | null) => {
    const picture = await drawPart(image, ofRatio, crop)
    setFailed(picture === null)
    if (picture) await onUse(picture)
  }
  const percent = (share: number) => `${share * 100}%`
  return (
    <Dialog title="Choose the part that is shown" busy={isBusy} onClose={onClose}>
      <div class="crop">
        {/* biome-ignore lint/a11y/useSemanticElements: it is no set of fields */}
        <div
          ref={frame}
          class="crop-frame"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the picture
          tabIndex={0}
          role="group"
          aria-label="The part that is shown: drag the picture, or move it with the arrow keys"
          style={{ aspectRatio: String(ratio) }}
          onKeyDown={onKeyDown}
          onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={onPointerMove}
        >
          {url !== '' && (
            <img
              src={url}
              alt=""
              draggable={false}
              style={{
                width: percent(image.width / part.width),
                height: percent(image.height / part.height),
                left: percent(-(crop.x - part.width / 2) / part.width),
                top: percent(-(crop.y - part.height / 2) / part.height),
              }}
            />
          )}
        </div>
        <label class="crop-zoom">
          <span>Zoom</span>
          <input
            type="range"
            min={1}
            max={MAX_ZOOM}
            step={0.05}
            value={crop.zoom}
            onInput={event => change({ zoom: event.currentTarget.valueAsNumber })}
          />
        </label>
        {isFailed && (
          <p class="field-error" role="alert">
            This browser cannot draw the picture. Make it smaller first.
          </p>
        )}
        <div class="form-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={isBusy} onClick={() => use(null)}>
            Use all of it
          </Button>
          <Button kind="primary" busy={isBusy} onClick={() => use(ratio)}>
            Use this part
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
