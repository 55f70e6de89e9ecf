import { useEffect, useState } from 'preact/hooks'

interface CountdownProps {
  /** An instant in ISO 8601. */
  until: string
  words: (left: string) => string
  onEnd: () => unknown
}

const secondsUntil = (instant: string) => Math.max(0, Math.ceil((Date.parse(instant) - Date.now()) / 1000))

/** Minutes and seconds that are left, by this device's clock. */
export function Countdown({ until, words, onEnd }: CountdownProps) {
  const [left, setLeft] = useState(() => secondsUntil(until))
  useEffect(() => {
    if (left === 0) {
      onEnd()
      return
    }
    const timer = setTimeout(() => setLeft(secondsUntil(until)), 1000)
    return () => clearTimeout(timer)
  }, [left, until, onEnd])
  return (
    <p class="quiet" role="timer">
      {words(`${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`)}
    </p>
  )
}
