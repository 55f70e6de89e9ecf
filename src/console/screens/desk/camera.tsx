/** Reads codes from the camera: with the browser's own detector, otherwise with a library that is loaded on demand. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Note, Skeleton } from '../../parts/states.tsx'

interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>
}

/** The browser's own detector, which TypeScript does not declare. */
interface NativeDetector {
  new (options: { formats: string[] }): Detector
  getSupportedFormats(): Promise<string[]>
}

/** Pause between two scans of the picture. */
const PAUSE_MS = 150

async function createDetector(): Promise<Detector> {
  // Guarantee of the cast: the Shape Detection API, in browsers that have it.
  const native = (globalThis as { BarcodeDetector?: NativeDetector }).BarcodeDetector
  const formats = (await native?.getSupportedFormats().catch(() => [])) ?? []
  if (native && formats.includes('qr_code')) return new native({ formats })
  const { decodeQR } = await import('qr/decode.js')
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d', { willReadFrequently: true })
  return {
    async detect(video) {
      if (!context || video.videoWidth === 0) return []
      // Enough for a code on a phone, and quick on an old one.
      const scale = Math.min(1, 640 / Math.max(video.videoWidth, video.videoHeight))
      canvas.width = Math.round(video.videoWidth * scale)
      canvas.height = Math.round(video.videoHeight * scale)
      context.drawImage(video, 0, 0, canvas.width, canvas.height)
      try {
        return [{ rawValue: decodeQR(context.getImageData(0, 0, canvas.width, canvas.height)) }]
      } catch {
        // No code is in the picture.
        return []
      }
    },
  }
}

/** What to do where the camera does not open. */
function explain(error: unknown): string {
  if (!isSecureContext || !navigator.mediaDevices)
    return 'The camera needs an address with https. Type the code instead.'
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError')
    return 'The camera is blocked for this page. Allow it in the settings of the browser, or type the code.'
  if (name === 'NotFoundError') return 'This device has no camera. Type the code.'
  return 'The camera cannot be opened. Another app may use it. Type the code.'
}

interface CameraProps {
  /** Called for each scan of the picture that finds a code. */
  onCode: (text: string) => unknown
}

export function Camera({ onCode }: CameraProps) {
  const video = useRef<HTMLVideoElement>(null)
  const latest = useRef(onCode)
  latest.current = onCode
  const [state, setState] = useState<'opening' | 'open' | { failure: string }>('opening')

  useEffect(() => {
    let isOpen = true
    let stream: MediaStream | undefined
    async function run() {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
      const detector = await createDetector()
      if (!isOpen || !video.current) return end()
      video.current.srcObject = stream
      await video.current.play()
      setState('open')
      while (isOpen) {
        const found = await detector.detect(video.current).catch(() => [])
        const [code] = found
        if (code && isOpen) latest.current(code.rawValue)
        await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
      }
    }
    const end = () => {
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    // Undefined on pages over http that are not of this machine: then it throws.
    Promise.resolve()
      .then(run)
      .catch(error => {
        end()
        if (isOpen) setState({ failure: explain(error) })
      })
    return () => {
      isOpen = false
      end()
    }
  }, [])

  return (
    <div class="camera">
      {typeof state === 'object' ? (
        <Note tone="warn">{state.failure}</Note>
      ) : (
        <>
          <video ref={video} muted playsInline aria-label="Picture of the camera" />
          {state === 'opening' && <Skeleton kind="chart" />}
        </>
      )}
    </div>
  )
}
