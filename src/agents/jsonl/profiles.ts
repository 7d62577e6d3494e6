/**
 * The profiles of known programs.
 *
 * @module
 */
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import type { JsonlProfile } from './profile.ts';

/** Names of known profiles. */
export type ProfileName = 'claude' | 'codex' | 'gemini';

/** The profiles, by name. */
export const PROFILES: Readonly<Record<ProfileName, JsonlProfile>> = { claude, codex, gemini };
