/** Draws and opens fast: Swagger UI's resolver visits the whole document that it is given, for each part that is drawn. */

/** What is at `path` of the document, below `paths` or `components`, with the components that it refers to. */
export function documentFor(document, path) {
  const components = {}
  const keepReferences = value => {
    for (const [name, member] of Object.entries(value)) {
      if (name === '$ref' && typeof member === 'string') keep(...member.split('/').slice(2))
      else if (member !== null && typeof member === 'object') keepReferences(member)
    }
  }
  const keep = (kind, name) => {
    const component = document.components[kind]?.[name]
    if (component === undefined || components[kind]?.[name] !== undefined) return
    components[kind] = { ...components[kind], [name]: component }
    keepReferences(component)
  }
  const [root, kind, name] = path
  const paths = root === 'paths' ? { [kind]: document.paths[kind] } : {}
  keepReferences(paths)
  if (root === 'components')
    for (const kept of name === undefined ? Object.keys(document.components[kind] ?? {}) : [name])
      keep(kind, kept)
  return { ...document, paths, components, webhooks: {} }
}

export const referencesPlugin = () => ({
  afterLoad({ fn: { resolveSubtree } }) {
    this.fn.resolveSubtree = (document, path, options) =>
      resolveSubtree(documentFor(document, path), path, options)
  },
})
