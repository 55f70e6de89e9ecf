/** Shows the problems that an operation adds, and folds those that the API's operations share. */

/** By operation, the codes of its problem responses that it does not add itself. */
const OWN = 'x-own-problems'

export function problemsPlugin({ React }) {
  const h = React.createElement
  const cache = new WeakMap()

  function split(responses, own) {
    const known = cache.get(responses)
    if (known) return known
    const isShared = response => {
      const codes = codesOf(response)
      return codes.length > 0 && !codes.some(code => own.includes(code))
    }
    const result = { own: responses.filterNot(isShared), shared: responses.filter(isShared) }
    cache.set(responses, result)
    return result
  }

  const wrapResponses = Original => props => {
    const { responses, specSelectors, path, method } = props
    const declared = specSelectors.specJson().getIn(['paths', path, method, OWN])
    if (!declared) return h(Original, props)
    const { own, shared } = split(responses, declared.toJS())
    return h(
      React.Fragment,
      null,
      h(Original, { ...props, responses: own }),
      shared.size > 0 &&
        h(
          'details',
          { className: 'shared-problems' },
          h('summary', null, `Problems that operations share (${shared.size} statuses)`),
          h(
            'dl',
            null,
            ...shared
              .entrySeq()
              .toArray()
              .flatMap(([status, response]) => [
                h('dt', { key: status }, status),
                h('dd', { key: `${status} codes` }, codesOf(response).join(', ')),
              ]),
          ),
        ),
    )
  }
  return { wrapComponents: { responses: wrapResponses } }
}

/** The example of a problem response is a map by code. */
function codesOf(response) {
  const examples = response.getIn(['content', 'application/problem+json', 'examples'])
  return examples ? examples.keySeq().toArray() : []
}
