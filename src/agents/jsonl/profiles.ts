/**
 * The profiles of known programs.
 *
 * @module
 */
import { claude } from './claude.ts';
import type { JsonlProfile } from './profile.ts';

/** Names of known profiles. */
export type ProfileName = 'claude';

/** The profiles, by name. */
export const PROFILES: Readonly<Record<ProfileName, JsonlProfile>> = { claude };
