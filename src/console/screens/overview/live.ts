/** The current figures, pushed by the server. Paused while the tab is hidden. */
import { useEffect, useState } from 'preact/hooks'
import { addressOfRead, api, type Data } from '../../api.ts'

export type LiveFigures = Data<'readLiveFigures'>
export type Connection = 'connecting' | 'live' | 'lost'

const RETRY_MS = 5_000

/** Null until the first figures arrive. */
export function useLiveFigures(): { figures: LiveFigures | null; connection: Connection } {
  const [figures, setFigures] = useState<LiveFigures | null>(null)
  const [connection, setConnection] = useState<Connection>('connecting')
  useEffect(() => {
    let source: EventSource | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    const close = () => {
      clearTimeout(timer)
      source?.close()
      source = null
    }
    const open = () => {
      close()
      source = new EventSource(addressOfRead('readLiveFigures', {}))
      source.addEventListener('figures', event => {
        // Guarantee of the cast: the server sends what its schema says.
        setFigures(JSON.parse(event.data) as LiveFigures)
        setConnection('live')
      })
      source.addEventListener('error', () => {
        setConnection('lost')
        close()
        timer = setTimeout(open, RETRY_MS)
        // Finds the cause: an ended session leads to the sign-in.
        void api.readSession().catch(() => undefined)
      })
    }
    const onVisible = () => (document.visibilityState === 'visible' ? open() : close())
    onVisible()
    document.addEventListener('visibilitychange', onVisible)
    addEventListener('online', open)
    return () => {
      close()
      document.removeEventListener('visibilitychange', onVisible)
      removeEventListener('online', open)
    }
  }, [])
  return { figures, connection }
}
