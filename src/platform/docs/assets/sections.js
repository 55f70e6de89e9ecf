/**
 * Draws the first section at once, and one more whenever the browser is idle: a slow phone can be used meanwhile. Each section is
 * a list of its own, since Swagger UI leaves out what is out of sight in lists of 150, where the browser could not search.
 */

const AT_ONCE = 1

/** Safari has no idle callbacks. */
const whenIdle = globalThis.requestIdleCallback ?? (work => setTimeout(work, 1))
const cancel = globalThis.cancelIdleCallback ?? clearTimeout

export function sectionsPlugin({ React }) {
  const h = React.createElement
  const drawn = Promise.withResolvers()

  function Section({ Operations, name, sections, ...props }) {
    const { specSelectors } = props
    const own = React.useMemo(() => {
      const only = sections.filter((_, tag) => tag === name)
      return { ...specSelectors, taggedOperations: () => only }
    }, [sections, name, specSelectors])
    return h(Operations, { ...props, specSelectors: own })
  }

  const operations = Operations => props => {
    const sections = props.specSelectors.taggedOperations()
    const [shown, show] = React.useState(AT_ONCE)
    const isWhole = shown >= sections.size
    React.useEffect(() => {
      if (isWhole) {
        drawn.resolve()
        return undefined
      }
      const waiting = whenIdle(() => show(count => count + 1))
      return () => cancel(waiting)
    }, [shown, isWhole])
    // It says that there are none.
    if (sections.size === 0) return h(Operations, props)
    const names = sections.keySeq().take(shown).toArray()
    return names.map(name => h(Section, { ...props, key: name, Operations, name, sections }))
  }

  /** After the sections, as they are below them. */
  const Webhooks = Original => props => {
    const [isNext, setNext] = React.useState(false)
    React.useEffect(() => void drawn.promise.then(() => setNext(true)), [])
    return isNext ? h(Original, props) : null
  }

  return { wrapComponents: { operations, Webhooks } }
}
