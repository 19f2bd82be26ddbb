//! Files that are shown as they are: pictures and PDF files, within what providers take. A block that a provider would
//! refuse must never come of a file, since every later request would repeat it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use imagesize::ImageType;
use lodger_protocol::{Content, MAX_DOCUMENT_BYTES, MAX_IMAGE_BYTES, ResolvedAccess};

use crate::{ToolFailure, ToolOutput};

/// Providers refuse pictures that are wider or higher.
const MAX_PIXELS: usize = 8000;
/// What a document may be called.
const MAX_NAME_BYTES: usize = 255;

/// The picture or document that a file is; absent when it is neither.
pub(super) fn show(access: &ResolvedAccess, bytes: &[u8]) -> Option<Result<ToolOutput, ToolFailure>> {
    if bytes.starts_with(b"%PDF-") {
        return Some(pdf(access, bytes));
    }
    let mime_type = match imagesize::image_type(bytes).ok()? {
        ImageType::Png => "image/png",
        ImageType::Jpeg => "image/jpeg",
        ImageType::Gif => "image/gif",
        ImageType::Webp => "image/webp",
        _ => return None,
    };
    // Without a size it only begins like a picture.
    let size = imagesize::blob_size(bytes).ok()?;
    Some(picture(access, bytes, mime_type, (size.width, size.height)))
}

fn picture(
    access: &ResolvedAccess,
    bytes: &[u8],
    mime_type: &str,
    (width, height): (usize, usize),
) -> Result<ToolOutput, ToolFailure> {
    let what = format!("{}: {mime_type}, {width} x {height} pixels, {} bytes", access.given, bytes.len());
    if width > MAX_PIXELS || height > MAX_PIXELS {
        return Err(ToolFailure(format!("{what}; at most {MAX_PIXELS} pixels each way can be shown")));
    }
    let data = encoded(bytes, MAX_IMAGE_BYTES, &what)?;
    let image = Content::Image { mime_type: mime_type.to_owned(), data };
    Ok(ToolOutput { content: vec![Content::text(what), image], ..ToolOutput::default() })
}

fn pdf(access: &ResolvedAccess, bytes: &[u8]) -> Result<ToolOutput, ToolFailure> {
    let what = format!("{}: application/pdf, {} bytes", access.given, bytes.len());
    let data = encoded(bytes, MAX_DOCUMENT_BYTES, &what)?;
    let name = access.canonical.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let name = name.filter(|name| name.len() <= MAX_NAME_BYTES && !name.contains(char::is_control));
    let document = Content::Document { mime_type: "application/pdf".to_owned(), data, name };
    Ok(ToolOutput { content: vec![Content::text(what), document], ..ToolOutput::default() })
}

fn encoded(bytes: &[u8], max_bytes: usize, what: &str) -> Result<String, ToolFailure> {
    if bytes.len().div_ceil(3) * 4 > max_bytes {
        return Err(ToolFailure(format!("{what}; at most {} bytes can be shown", max_bytes / 4 * 3)));
    }
    Ok(STANDARD.encode(bytes))
}
