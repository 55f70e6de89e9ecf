/** A filter box with a label, which finds operations by path, name, summary and tag. */
export function filterPlugin({ React }) {
  const h = React.createElement

  /** The style sheet hides Swagger UI's own sentence, which says that the document has no operations. */
  const describeEmpty = (filter, groups) =>
    typeof filter === 'string' && opsFilter(groups, filter).size === 0
      ? `No operation matches “${filter}”.`
      : ''

  function FilterContainer({ layoutSelectors, layoutActions, specSelectors, getComponent }) {
    const filter = layoutSelectors.currentFilter()
    return h(
      'div',
      { className: 'wrapper find' },
      h(getComponent('Session', true)),
      h('label', { htmlFor: 'filter' }, 'Filter operations'),
      h('input', {
        id: 'filter',
        type: 'search',
        autoComplete: 'off',
        value: typeof filter === 'string' ? filter : '',
        onChange: event => layoutActions.updateFilter(event.target.value),
      }),
      h('p', { role: 'status' }, describeEmpty(filter, specSelectors.taggedOperations())),
    )
  }

  const opsFilter = (groups, phrase) => {
    const words = phrase.toLowerCase().split(/\s+/).filter(Boolean)
    return groups
      .map((group, tag) =>
        group.update('operations', operations =>
          operations.filter(operation => {
            const details = ['operationId', 'summary'].map(name => operation.getIn(['operation', name]))
            const text = [tag, operation.get('method'), operation.get('path'), ...details]
              .join(' ')
              .toLowerCase()
            return words.every(word => text.includes(word))
          }),
        ),
      )
      .filter(group => group.get('operations').size > 0)
  }

  return { components: { FilterContainer }, fn: { opsFilter } }
}
