/**
 * An image of an output or an artifact.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';

interface ImageViewProps {
  /** A `data:` URL. */
  readonly url: string;
  readonly name: string;
}

/** The image, which is decoded once it is near the visible part of the page. */
export function ImageView({ url, name }: ImageViewProps): ReactNode {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) return <p className="quiet">This image cannot be shown. Its raw view has its text.</p>;
  return (
    <img className="image" src={url} alt={name} loading="lazy" decoding="async" onError={() => setIsBroken(true)} />
  );
}
