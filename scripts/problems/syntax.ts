/** What the syntax of the sources tells, without types. */
import {
  type BindingElement,
  isArrowFunction,
  isBindingElement,
  isFunctionDeclaration,
  isGetAccessorDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
  isNewExpression,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isPropertySignatureDeclaration,
  isShorthandPropertyAssignment,
  isSourceFile,
  isTypeAliasDeclaration,
  isTypeNode,
  isVariableDeclaration,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'

/** Children that exist at run time. */
export function forEachPart(node: Node, visit: (part: Node) => void): void {
  node.forEachChild(child => {
    if (!isTypeNode(child) && !isInterfaceDeclaration(child) && !isTypeAliasDeclaration(child)) visit(child)
  })
}

export function forEachWithin(node: Node, visit: (part: Node) => void): void {
  visit(node)
  forEachPart(node, part => forEachWithin(part, visit))
}

export const nameOf = (node: Node): string | undefined =>
  'name' in node && isNode(node.name) && isIdentifier(node.name) ? node.name.text : undefined

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'kind' in value

export const defaultOf = (parameter: Node): Node | undefined =>
  isParameterDeclaration(parameter) ? parameter.initializer : undefined

/** Position of a parameter in the list of its function. */
export function indexOf(parameter: Node): number {
  // Guarantee of the cast: a parameter stands in a function.
  return (parameter.parent as Node & { parameters: readonly Node[] }).parameters.indexOf(parameter)
}

/** The problem type of `new DomainError(type)`. */
export function problemOf(node: Node): Node | undefined {
  return isNewExpression(node) && isNamed(node.expression, 'DomainError') ? node.arguments?.[0] : undefined
}

/** What names the thing that is read or called: of `a.b`, `b`. */
export const calledName = (node: Node): Node => (isPropertyAccessExpression(node) ? node.name : node)

export const isNamed = (node: Node, name: string): boolean => isIdentifier(node) && node.text === name

export const isSignature = (node: Node): boolean =>
  isPropertySignatureDeclaration(node) || isMethodSignatureDeclaration(node)

export const membersOf = (node: Node): readonly Node[] =>
  isObjectLiteralExpression(node) ? node.properties : []

export const valueIn = (member: Node): Node => (isPropertyAssignment(member) ? member.initializer : member)

/** Neither a function nor a method: what it holds is known by its type alone. */
export const isValue = (declared: Node): boolean =>
  isParameterDeclaration(declared) ||
  isBindingElement(declared) ||
  isPropertySignatureDeclaration(declared) ||
  (isVariableDeclaration(declared) && !!declared.initializer && !isArrowFunction(declared.initializer))

/** The name of the member that a destructuring reads. */
export function readName({ propertyName, name }: BindingElement): string | undefined {
  const read = propertyName ?? name
  return read && isIdentifier(read) ? read.text : undefined
}

/** Names of members that can be, or hold, a function or a problem type. */
export function memberNames(file: SourceFile): string[] {
  const names: string[] = []
  const visit = (node: Node): void => {
    const isMember =
      (isVariableDeclaration(node) && isSourceFile(node.parent.parent.parent)) ||
      isFunctionDeclaration(node) ||
      isPropertyAssignment(node) ||
      isShorthandPropertyAssignment(node) ||
      isMethodDeclaration(node) ||
      isGetAccessorDeclaration(node) ||
      isPropertyDeclaration(node) ||
      isSignature(node)
    const name = isMember ? nameOf(node) : undefined
    if (name !== undefined) names.push(name)
    node.forEachChild(visit)
  }
  visit(file)
  return names
}

export function isNeeded(node: Node, members: Set<string>): boolean {
  const { parent } = node
  if (isPropertyAccessExpression(parent) && parent.name === node) return members.has(node.getText())
  if (isPropertyAssignment(parent) || isMethodDeclaration(parent))
    return 'initializer' in parent && parent.initializer === node
  return !isShorthandPropertyAssignment(parent)
}

export function placeOf(root: string, node: Node): string {
  const { fileName, text } = node.getSourceFile()
  const before = text.slice(0, node.getStart()).split('\n')
  return `${fileName.slice(root.length + 1)}(${before.length},${(before.at(-1)?.length ?? 0) + 1})`
}
