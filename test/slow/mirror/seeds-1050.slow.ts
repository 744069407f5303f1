import { describeMirror } from '#test/fixtures/mirrored.ts'

describeMirror(1050)
