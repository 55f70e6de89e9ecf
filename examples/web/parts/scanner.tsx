/** Reads a QR code with the camera, in browsers that can: `BarcodeDetector` is in Chrome on Android and in Chromium on macOS. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../lang/lang.ts'
import { Button } from './button.tsx'

/** What this file uses of the Shape Detection API, which TypeScript does not declare. */
interface Detector {
  detect(video: HTMLVideoElement): Promise<{ rawValue: string }[]>
}
interface DetectorClass {
  new (options: { formats: string[] }): Detector
  getSupportedFormats(): Promise<string[]>
}

const FORMAT = 'qr_code'
const PAUSE_MS = 150

/** Null where the browser or the page has no camera or reads no QR codes. */
async function findDetector(): Promise<DetectorClass | null> {
  // Guarantee of the cast: the class of the standard, or undefined.
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorClass }
  // Pages over http have no camera, except on localhost.
  if (!BarcodeDetector || !navigator.mediaDevices) return null
  return (await BarcodeDetector.getSupportedFormats()).includes(FORMAT) ? BarcodeDetector : null
}

type State = 'absent' | 'ready' | 'scanning' | 'failed'

/** Renders nothing if the browser cannot scan. */
export function Scanner({ onText }: { onText: (scanned: string) => unknown }) {
  const [state, setState] = useState<State>('absent')
  const video = useRef<HTMLVideoElement>(null)
  const latest = useRef(onText)
  latest.current = onText
  useEffect(() => {
    findDetector().then(
      found => found && setState('ready'),
      () => {},
    )
  }, [])
  useEffect(() => {
    if (state !== 'scanning') return
    const ended = new AbortController()
    scan(video.current, ended.signal).then(
      scanned => {
        if (scanned === null) return
        setState('ready')
        latest.current(scanned)
      },
      () => ended.signal.aborted || setState('failed'),
    )
    return () => ended.abort()
  }, [state])
  if (state === 'absent') return null
  if (state === 'scanning')
    return (
      <div class="scanner">
        <video ref={video} muted playsInline aria-label={text.checkIn.camera} />
        <Button kind="plain" onClick={() => setState('ready')}>
          {text.checkIn.stop}
        </Button>
      </div>
    )
  return (
    <>
      <Button onClick={() => setState('scanning')}>{text.checkIn.scan}</Button>
      {state === 'failed' && <p role="alert">{text.checkIn.noCamera}</p>}
    </>
  )
}

/** The text of the first QR code that the camera sees; null if it was ended before. @throws what the camera throws */
async function scan(video: HTMLVideoElement | null, ended: AbortSignal): Promise<string | null> {
  const detectorClass = await findDetector()
  if (!video || !detectorClass) return null
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
  try {
    video.srcObject = stream
    await video.play()
    const detector = new detectorClass({ formats: [FORMAT] })
    while (!ended.aborted) {
      const [found] = await detector.detect(video)
      if (found) return found.rawValue
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
    return null
  } finally {
    for (const track of stream.getTracks()) track.stop()
  }
}
