/**
 * What a fan shows to staff at the ground, where the network may be full: codes that this device has seen, kept until the session
 * ends. A card of a member is a further group of passes.
 */
import { isSignedIn, watchSession } from './session.ts'

export interface Pass {
  id: string
  kind: 'reward' | 'voucher'
  title: string
  /** What staff scan or type. */
  code: string
  /** The screen with all of it. */
  to: string
}

export interface Kept {
  /** When the server said so. */
  asOf: string
  passes: Pass[]
}

const STORED = 'matchday passes'
/** Groups of earlier sessions are not written: a response may arrive after its session has ended. */
let era = 0

watchSession(forget)
// It may have ended while no page was open.
if (!isSignedIn()) forget()

function forget(): void {
  era++
  localStorage.removeItem(STORED)
}

function readAll(): Record<string, Kept> {
  try {
    // Guarantee of the cast: only `keep` writes it.
    return JSON.parse(localStorage.getItem(STORED) ?? '{}') as Record<string, Kept>
  } catch {
    return {}
  }
}

/** Call it before the request. The returned function replaces the passes of a group by those of the response. */
export function beginKeeping(): (group: string, passes: Pass[]) => void {
  const begun = era
  return (group, passes) => {
    if (era !== begun || !isSignedIn()) return
    const { [group]: _, ...others } = readAll()
    const kept = { asOf: new Date().toISOString(), passes }
    try {
      localStorage.setItem(
        STORED,
        JSON.stringify(passes.length === 0 ? others : { ...others, [group]: kept }),
      )
    } catch {
      // The storage is full or forbidden: the passes need a network.
    }
  }
}

export const findKept = (group: string): Kept | undefined => readAll()[group]
export const listKept = (): Kept[] => Object.values(readAll())
export const groupOfOrder = (orderId: string) => `order ${orderId}`
export const REWARDS = 'rewards'
