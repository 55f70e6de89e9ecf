/** Sounds and vibration of the desk, since staff look at the fan and not at the screen. */

let audio: AudioContext | undefined

/** Frequencies in Hz, one after the other. */
const TONES = { good: [880, 1320], bad: [220, 160], unsure: [440, 440] } as const
const PATTERNS = { good: [60], bad: [160, 80, 160], unsure: [60, 60, 60] } as const

export type Feedback = keyof typeof TONES

const TONE_S = 0.13

/** Silent if the browser allows neither: nobody has touched the page yet, or the device cannot vibrate. */
export function play(feedback: Feedback): void {
  navigator.vibrate?.([...PATTERNS[feedback]])
  try {
    audio ??= new AudioContext()
    const context = audio
    void context.resume()
    const gain = context.createGain()
    gain.connect(context.destination)
    TONES[feedback].forEach((frequency, nth) => {
      const tone = new OscillatorNode(context, { frequency, type: 'triangle' })
      const at = context.currentTime + nth * TONE_S
      tone.connect(gain)
      tone.start(at)
      tone.stop(at + TONE_S * 0.9)
    })
    gain.gain.value = 0.2
  } catch {
    // A device without sound.
  }
}
