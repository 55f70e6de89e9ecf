/** TypeBox, which enters `src` and `scripts` here alone, so that another version or library is a change of this file. */
export {
  FormatRegistry,
  type ObjectOptions,
  type SchemaOptions,
  type Static,
  type TLiteral,
  type TNull,
  type TObject,
  type TOptional,
  type TProperties,
  TransformKind,
  type TSchema,
  type TUnion,
  type TUnsafe,
  Type,
} from '@sinclair/typebox'
export { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
export { Value } from '@sinclair/typebox/value'
