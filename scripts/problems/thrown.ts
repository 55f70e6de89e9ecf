/** The problems that leave a body, in the order in which it can throw them. */
import type { Node } from 'typescript/unstable/ast'
import { type Bodies, isFunctionMember, type Step } from './bodies.ts'
import type { Sources } from './sources.ts'
import { isSignature, valueIn } from './syntax.ts'

/** Where a problem is thrown, and by which calls the walk came there. */
export type Thrown = Map<string, { at: Node; path: readonly Node[] }>

interface Start {
  /** Functions, or the steps of a note. */
  roots: readonly (Node | Step)[]
  /** Objects that exist before; `any`: all that implement an interface. */
  objects?: readonly Node[] | 'any'
}

export function findThrown(sources: Sources, bodies: Bodies, { roots, objects = [] }: Start): Thrown {
  const created = new Set<Node>(objects === 'any' ? [] : objects)
  /** Members of interfaces of which no known object was created: any implementation can be behind them. */
  const open = new Set<Node>()
  for (;;) {
    const before = created.size
    const { thrown, unknown } = walk()
    if (created.size > before) continue
    const more = unknown.filter(signature => !open.has(signature))
    if (more.length === 0) return thrown
    for (const signature of more) open.add(signature)
  }

  function walk() {
    const thrown: Thrown = new Map()
    const seen = new Map<Node, Set<string>>()
    const unknown: Node[] = []
    for (const root of roots)
      if ('does' in root) take(root, [], [])
      else run(root, [], [])
    return { thrown, unknown }

    function implementing(signature: Node): readonly Node[] {
      const all = sources.implementationsOf(signature)
      const own = all.filter(member => created.has(member.parent))
      if (objects === 'any') return all
      if (own.length > 0) return own
      unknown.push(signature)
      return open.has(signature) ? all : []
    }

    function run(body: Node, caught: readonly string[], path: readonly Node[]): void {
      if (isSignature(body)) {
        for (const member of implementing(body)) if (isFunctionMember(member)) run(member, caught, path)
        return
      }
      const context = [...new Set(caught)].toSorted().join()
      const contexts = seen.getOrInsertComputed(body, () => new Set())
      if (contexts.has(context) || contexts.has('')) return
      contexts.add(context)
      for (const step of bodies.stepsOf(body)) take(step, caught, path)
    }

    function take(step: Step, caught: readonly string[], path: readonly Node[]): void {
      if (step.does === 'create') created.add(step.object)
      else if (step.does === 'run') run(step.body, caught, [...path, step.at])
      else if (step.does === 'throw') add(step.codes, step.at, caught, path)
      else if (step.does === 'throw member')
        for (const member of implementing(step.signature))
          add(sources.codesOf(valueIn(member)), step.at, caught, path)
      else {
        const inner = [...caught, ...(step.caught === 'all' ? [ANY] : step.caught)]
        for (const part of step.steps) take(part, inner, path)
      }
    }

    function add(codes: readonly string[], at: Node, caught: readonly string[], path: readonly Node[]) {
      for (const code of codes)
        if (!thrown.has(code) && !caught.includes(code) && !caught.includes(ANY))
          thrown.set(code, { at, path })
    }
  }
}

/** In notes: every problem. */
const ANY = 'any'
