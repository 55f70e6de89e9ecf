/** Which problems a `catch` keeps. */
import {
  isArrowFunction,
  isBinaryExpression,
  isBlock,
  isCatchClause,
  isIdentifier,
  isIfStatement,
  isParenthesizedExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isReturnStatement,
  isStringLiteral,
  isThrowStatement,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { forEachWithin, isNamed } from './syntax.ts'

/** Problems that do not leave a part of a body, by code. */
export type Caught = 'all' | readonly string[]

/**
 * Of a catch clause, or of a function that is passed to `.catch()`. Known forms: without `throw error`; `if (!(error instanceof
 * DomainError)) throw error`, also with a code; `if (error instanceof DomainError && error.code === 'a') return`. Other clauses
 * keep nothing.
 */
export function readCatch(clause: Node): Caught {
  const rethrows: Node[] = []
  const name = errorOf(clause)
  forEachWithin(clause, node => {
    if (isThrowStatement(node) && name !== undefined && isNamed(node.expression, name)) rethrows.push(node)
  })
  if (rethrows.length === 0) return 'all'
  const [rethrow] = rethrows
  if (!rethrow || rethrows.length > 1) return []
  const guard = guardOf(rethrow)
  if (guard) return keptUnless(guard)
  return isCatchClause(clause) ? clause.block.statements.flatMap(keptByReturn) : []
}

function errorOf(clause: Node): string | undefined {
  const named = isCatchClause(clause)
    ? clause.variableDeclaration?.name
    : isArrowFunction(clause)
      ? clause.parameters[0]?.name
      : undefined
  return named && isIdentifier(named) ? named.text : undefined
}

/** The condition of `if (…) throw error`. */
function guardOf(rethrow: Node): Node | undefined {
  const outer = isBlock(rethrow.parent) ? rethrow.parent.parent : rethrow.parent
  return isIfStatement(outer) ? outer.expression : undefined
}

const isError = (node: Node) =>
  isBinaryExpression(node) &&
  node.operatorToken.kind === SyntaxKind.InstanceOfKeyword &&
  isNamed(node.right, 'DomainError')

function codeIn(node: Node, operator: SyntaxKind): string | undefined {
  return isBinaryExpression(node) &&
    node.operatorToken.kind === operator &&
    isPropertyAccessExpression(node.left) &&
    isNamed(node.left.name, 'code') &&
    isStringLiteral(node.right)
    ? node.right.text
    : undefined
}

/** What a clause catches that throws the error again under a condition. */
function keptUnless(condition: Node): Caught {
  const inner =
    isPrefixUnaryExpression(condition) && isParenthesizedExpression(condition.operand)
      ? condition.operand.expression
      : undefined
  if (inner) return isError(inner) ? 'all' : keptWhen(inner)
  if (!isBinaryExpression(condition) || condition.operatorToken.kind !== SyntaxKind.BarBarToken) return []
  const code =
    keptUnless(condition.left) === 'all'
      ? codeIn(condition.right, SyntaxKind.ExclamationEqualsEqualsToken)
      : undefined
  return code === undefined ? [] : [code]
}

/** `error instanceof DomainError && error.code === 'a'` */
function keptWhen(condition: Node): string[] {
  if (!isBinaryExpression(condition) || condition.operatorToken.kind !== SyntaxKind.AmpersandAmpersandToken)
    return []
  const code = isError(condition.left)
    ? codeIn(condition.right, SyntaxKind.EqualsEqualsEqualsToken)
    : undefined
  return code === undefined ? [] : [code]
}

function keptByReturn(statement: Node): string[] {
  if (!isIfStatement(statement)) return []
  const { thenStatement, expression } = statement
  const last = isBlock(thenStatement) ? thenStatement.statements.at(-1) : thenStatement
  return last && isReturnStatement(last) ? keptWhen(expression) : []
}
